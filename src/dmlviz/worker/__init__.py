"""The process that compiles and runs kernels, and its client."""
