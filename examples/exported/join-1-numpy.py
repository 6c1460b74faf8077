"""A session of dmlviz: JOIN, example 1.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit.

dml1:6TKzIOABrdZBCsIwEAXQq-QAoWhTENy4cu8FuogmBbEQSK3BhXd3_kywQVpQsZuWJiShw--814e_pjC18eHsuBXhPlOR5X_j_yNhPo1
E81skar2ZSmS-iwVdGm85HHq9QigQDs3RwHBbVGUPWWQbgEHo8vyQGSJKkRqQC_o-JO8EBF4cVUwWzFTSzo1YwwspQBKGRwrxMmxZDcXwxCd
q98IZjBX1pyld54l1h1H0chojzhRmeWBahk_01tFycAVtyOmHytQbTSqVMSLE4uPXxJ-bB7cGe1f2GPK2IkbDyzc7tSSPxxM
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
