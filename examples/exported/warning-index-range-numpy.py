"""A session of dmlviz: Warning values.index_range: an index outside the axis.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit.

dml2:cbjLMcEC1ZZBTsMwEEWv4gMkVRsHUGDRQ7TbLNzYaq3EcZS0irgBa47ISZg_dmsoAokFUlkmsT3j-T8zL1U-X4l5tEca5Rg8J8pw31N
L_qqH_Bs9ZKjVLyUpb1ITiX5SVGV1_1BUd3X9QZstzVuUB3hAUaymSTp7oIg9TheAAQrQjkchsQ6QsTPPPvIFEwxBVMbEkeJg6dvL6wpzXNt
pf7KTySKxhNKJRvVAj4Pv9CLh32gGP1L03kdexLkDDXw6gN9yOZ4EU8POE8Qgv6ZTbjCMSaC6gnc5NbaGzgZyIC5sEnHKqdaE_JwhcuI9a_E
dT6ARRmeG63e0HrdnmLspW_4XV-ZllkvuFcmOG_7LL75zCrBNIyzAMMNhTxadPJRjM0K35QKPZfLmJ3GSN-n7lUuWkaOlmIG3Wp_NcuZTNsh
gm_YHa9Tv
"""

import numpy as np


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """True if both have one dtype, one shape and the same bytes: NaN equals itself, -0.0 is not 0.0."""
    alike = found.dtype == expected.dtype and found.shape == expected.shape
    return alike and found.tobytes() == expected.tobytes()


def gather_1() -> None:
    """GATHER at feature level 3_0: -1 written as unsigned."""
    input_tensor = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    indices_tensor = np.array([[0, 3, 1, 4294967295]], np.uint32)

    indices = indices_tensor.reshape(4)
    indices = np.minimum(indices, 2).astype(np.int64)
    output_tensor = np.take(input_tensor, indices, axis=0)

    expected = np.array([[1, 2], [5, 6], [3, 4], [5, 6]], np.float32)
    assert same(output_tensor, expected), "OutputTensor differs"


def gather_2() -> None:
    """GATHER at feature level 3_0: one below the first."""
    input_tensor = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    indices_tensor = np.array([[0, -4, -3, 2]], np.int32)

    indices = indices_tensor.reshape(4)
    indices = indices.astype(np.int64)
    indices = np.clip(np.where(indices < 0, indices + 3, indices), 0, 2)
    output_tensor = np.take(input_tensor, indices, axis=0)

    expected = np.array([[1, 2], [1, 2], [1, 2], [5, 6]], np.float32)
    assert same(output_tensor, expected), "OutputTensor differs"


def main() -> None:
    """Runs every experiment; an AssertionError says what differs."""
    gather_1()
    print("gather_1: as expected")
    gather_2()
    print("gather_2: as expected")


if __name__ == "__main__":
    main()
