"""How the operators run fast: one file each, Numba on flat bytes and numbers.

A kernel is a module here, named as its operator in lower case. Its `plan(*numbers)` makes of what
`Operator.kernel_numbers` folded a list of int64, which begins with how many units the work has and how many of them a
thread should take at a time. Its `run(arrays, numbers, turn)` does the work: on a tuple of C-contiguous arrays, the
outputs and then the inputs, and the planned numbers as an array. It does all units where `turn` is 0; else it is the
address of a thread's turn, see `lib.blocks.claim`, and units are claimed until none is left. (Without a `plan` the
numbers are as the operator folded them, and the work isn't shared; a `run` that isn't compiled is given flat uint8.)

The package's path is searched, so a folder added to `dmlviz.kernels.__path__` brings kernels too. Numba is imported
when the first kernel is loaded.
"""
