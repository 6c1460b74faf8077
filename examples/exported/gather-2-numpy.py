"""A session of dmlviz: GATHER, example 2.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit.

dml1:YwOMKdMBzdZBCsIwEAXQq-QAJSDNzoUrL-ANStQSjKS0xQjSu_v_TKhVunEhuG2aZJIPmTdfPBtz2-BR71ciqH8TQa3X82UK7q9jeKW
wpyTUJV3wFzRz6CHFE_1TzeiQRn9HI1ZfSHsmBIQ8R51hzQHpbCgKroTPY8b-1rzVweHchxEYIx0e6NxuUmUMSSnCzYrVQI4bDJPTQlFbFcr
H9WBjWYRScKgLD9xgTTGFB4JaVB_OWjqOBS1wDjW0TAnUiRHy25k1QlTyfxaC0kQ-NtcOBy2iozCmJw
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
