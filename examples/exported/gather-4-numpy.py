"""A session of dmlviz: GATHER, example 4.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit. Comments say what DirectML does differently.

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
    """GATHER at feature level 3_0: columns by nested indices.

    Two index dimensions, {1, 2}, take the place of axis 2, so there would be four sizes: {1, 3, 1, 2}. The
    leading 1 of InputTensor is cropped to keep three, and {3, 1, 2} is left. Axis counts with that 1, so it is
    2 although the title of the page says 1. **What becomes of the 1 in the middle with IndexDimensions 1?
    Predict, then try it.**
    """
    input_tensor = np.array([[[1, 2, 3], [4, 5, 6], [7, 8, 9]]], np.float32)
    indices_tensor = np.array([[[0, 2]]], np.uint32)

    indices = indices_tensor.reshape(1, 2)
    # Of an index outside [0, 3) DirectML promises no value: none here.
    output_tensor = np.take(input_tensor, indices, axis=2).reshape(3, 1, 2)

    expected = np.array([[[1, 3]], [[4, 6]], [[7, 9]]], np.float32)
    assert same(output_tensor, expected), "OutputTensor differs"


def main() -> None:
    """Runs every experiment; an AssertionError says what differs."""
    gather_1()
    print("gather_1: as expected")


if __name__ == "__main__":
    main()
