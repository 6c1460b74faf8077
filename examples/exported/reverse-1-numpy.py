"""A session of dmlviz: REVERSE_SUBSEQUENCES, example 1.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit.

dml1:DtTiTNEBrZaxDsIgEIZfhQcgTSou6uDk7AM0DiRVQ4qQtIPp4Lv3fu6oDK2JxokmwEH4enff_PDcCO8uBMedMTVCatULRLj2LYX7axG
rtUkZ8WsZw_76a2bFuczNfGIkmZIZacoT-trpOU8uwLb63zcNEGOzwcqC4UmeHxph32KUFMJmwSFMjiQrPsNebbTaJgUxlTpDLUCUzSfbmIZ
SPGwYMWJawgx2xBwpQU-E--HaHkh0yBhu0XvImhtYwdpKlS6BEGJVuKmPsVPedXJLCW6Oas0ZXhM
"""

import numpy as np


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """True if both have one dtype, one shape and the same bytes: NaN equals itself, -0.0 is not 0.0."""
    alike = found.dtype == expected.dtype and found.shape == expected.shape
    return alike and found.tobytes() == expected.tobytes()


def reverse_subsequences_1() -> None:
    """REVERSE_SUBSEQUENCES at feature level 2_1: the beginning of each row."""
    input_tensor = np.array([[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]]], np.float32)
    sequence_lengths_tensor = np.array([[[[2], [4], [3]]]], np.uint32)

    lengths = np.minimum(sequence_lengths_tensor, 4).astype(np.int64)
    k = np.arange(4, dtype=np.int64).reshape(1, 1, 1, 4)
    source = np.where(k < lengths, lengths - 1 - k, k)
    output_tensor = np.take_along_axis(input_tensor, source, axis=3)

    expected = np.array([[[[2, 1, 3, 4], [8, 7, 6, 5], [11, 10, 9, 12]]]], np.float32)
    assert same(output_tensor, expected), "OutputTensor differs"


def main() -> None:
    """Runs every experiment; an AssertionError says what differs."""
    reverse_subsequences_1()
    print("reverse_subsequences_1: as expected")


if __name__ == "__main__":
    main()
