"""A session of dmlviz: GATHER, example 2.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit.

dml1:ifM7OdABzdZBCsIwEAXQq-QAJVDbnQtXXsAbhColWGloiilI7-7_M6HW4saF4LYlmWQ-ZN7SeA7m1uFRHz5EUP0mgkrb82UK9V_H8Er
hSEmoS4Jvrhjm0EPfXeifYkGHDPoJg1h9IeOZEBDynHWFNSekU1IU3Amfx4T61rydg7_T4EdgjHR4YHLXsyoj9koRFstWAznuMEzqV4raq1A
27UFh2YRSqHEuPHDRmmwKH9fkkeVyhfJgNlJAOAZHciGQPX4yu0LElISddFDTuVvA5bLiqIr5CQ
"""

import numpy as np


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """True if both have one dtype, one shape and the same bytes: NaN equals itself, -0.0 is not 0.0."""
    alike = found.dtype == expected.dtype and found.shape == expected.shape
    return alike and found.tobytes() == expected.tobytes()


def gather_1() -> None:
    """GATHER at feature level 3_0: row gather."""
    input_tensor = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    indices_tensor = np.array([[0, 1, 1, 2]], np.uint32)

    indices = indices_tensor.reshape(4)
    output_tensor = np.take(input_tensor, indices, axis=0)

    expected = np.array([[1, 2], [3, 4], [3, 4], [5, 6]], np.float32)
    assert same(output_tensor, expected), "OutputTensor differs"


def main() -> None:
    """Runs every experiment; an AssertionError says what differs."""
    gather_1()
    print("gather_1: as expected")


if __name__ == "__main__":
    main()
