"""A session of dmlviz: GATHER, example 4.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit.

dml1:JXKuIvUBtdZBCoMwEAXQq8wBghDdddNLuO1C6lhF24iJlCK9e38mppWiBRfdiSSTmI-Z9z742IjRgG6MyMrYTFcSyf6TiFZZuLZ2xqL
DKe9KJouzQjbpSjbpr2w2fpDVjBASAjotAsrvZhbLhzCKJvRaLEquaFn6ct8VsBCUIu5JFVnj36N1B6DAHJUZh0Crg8zPFEmVhHIU6LgoG0B
H-yKLL_A2AQL7nkU5LXOPwgOzEsRMsYof13HlksCGs7_cbGCM0EbLlhqxTgqzuNqMl1r27hrXcRSWaNEWD0s6oVkjUBdcYeMQ7fXhH65NWWK
mLPKVCekjbfnj-QI
"""

import numpy as np


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """True if both have one dtype, one shape and the same bytes: NaN equals itself, -0.0 is not 0.0."""
    alike = found.dtype == expected.dtype and found.shape == expected.shape
    return alike and found.tobytes() == expected.tobytes()


def gather_1() -> None:
    """GATHER at feature level 3_0: columns by nested indices."""
    input_tensor = np.array([[[1, 2, 3], [4, 5, 6], [7, 8, 9]]], np.float32)
    indices_tensor = np.array([[[0, 2]]], np.uint32)

    indices = indices_tensor.reshape(1, 2)
    output_tensor = np.take(input_tensor, indices, axis=2).reshape(3, 1, 2)

    expected = np.array([[[1, 3]], [[4, 6]], [[7, 9]]], np.float32)
    assert same(output_tensor, expected), "OutputTensor differs"


def main() -> None:
    """Runs every experiment; an AssertionError says what differs."""
    gather_1()
    print("gather_1: as expected")


if __name__ == "__main__":
    main()
