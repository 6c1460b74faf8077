"""A session of dmlviz: Warning values.index_range: an index outside the axis.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit.

dml2:VNDAQcgC1ZZNTsMwEIWv4h2bpGrjAAosOARss3Biq1hJ7Cg_inqDrjkiJ2HeOK35EUgskMoyip0Zvfcy80Xl051YBjvRKsfimanDvaO
R_NUP-Td-yKDVLy3JL9ITiXmSFXlxc5sV12X5zpsn2reQB3hAVaymTbp4oIidxjPAAAXoxp2QOAfIqMzBr3zBBEMQlTBxxDo4-np82WGPazv
uZzuaZCWWIJ2olQN6PPtWbyL-Dab3A1V3PvBiIqo54IK7mkRPm5--RNTCqtwLhofKE8ugzbpVXW-YlgB3GTfVqaExVALkgfJIy0pVnWpMaLM
zBFB850F8hxWYh2tAgwotnYcIzHQXlc7_Es40T1LJIyOm8pF_9nP8OgXmpk0WmJgZ0VFSRw_nOJPwbbvBYx4j-sGcGFF6_ykl2xWnpVhAuVq
fwnLCVA5Ib-vmh2iUbw
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
