"""A session of dmlviz: JOIN, example 1.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit.

dml1:R-BBntoBrdaxCsIwEAbgV8kDhKJNQXBxcndz6lCSFMRCJLVk8t29_66YIC2o2KWlCUno8fe-14e_p5Db-Hhx3IpwX6jI-r_x_5Ewn0a
i-S0Std7lEpnvYkGXxlsOh95uEAqEQ3M0MNwWVTlCFrMNwCB0eX6YGSJKkRqQC4YhJO8EBF4cVUwWzFTSzo1YwwspQBKGRwrxOu5ZDcVw5hO
1e-EMxor605S-98S60yR6sVPEmcIiD0zL8Im-c7QcXEEbcvqhMvVGk4oIcWZd8clr1Vnrb7KNCNHwcs1BrUnj8QQ
"""

import numpy as np


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """True if both have one dtype, one shape and the same bytes: NaN equals itself, -0.0 is not 0.0."""
    alike = found.dtype == expected.dtype and found.shape == expected.shape
    return alike and found.tobytes() == expected.tobytes()


def join_1() -> None:
    """JOIN at feature level 1_0: two tensors, side by side."""
    input_tensors_0 = np.array([[[[1, 2, 3], [4, 5, 6]]]], np.float32)
    input_tensors_1 = np.array([[[[7, 8, 9, 10], [11, 12, 13, 14]]]], np.float32)

    output_tensor = np.concatenate([input_tensors_0, input_tensors_1], axis=3)

    expected = np.array([[[[1, 2, 3, 7, 8, 9, 10], [4, 5, 6, 11, 12, 13, 14]]]], np.float32)
    assert same(output_tensor, expected), "OutputTensor differs"


def main() -> None:
    """Runs every experiment; an AssertionError says what differs."""
    join_1()
    print("join_1: as expected")


if __name__ == "__main__":
    main()
