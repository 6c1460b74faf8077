"""The bench: kernels timed beside other libraries, each in a process of its own."""
