"""What kernels share: primitives in LLVM, loops built of them, plans, threads, compiling, the cache."""
