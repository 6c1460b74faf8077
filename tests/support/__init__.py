"""What tests share: drivers, generators, independent readers, and twins of the kernels' primitives."""
