"""A session of dmlviz: SPLIT, example 1.

Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result
against the expected output, bit for bit.

dml1:jGtEBNgBrZbBCsIwDIZfJec5xHYguItHX8Crh4LdHEwm7WDbwXf3T9rpQCcDLayXpWnoT_J_z4f3VR-MGa6jaUUKX_ZBjfm5-OtY2Ib
H-sNk0JJpQaBaGphx4GlUUn9T7V036R7su1RtuG-kf7Amih0vDEijAuzN1tQtkwSbcuPO1uXUdk3KwMHe66xdE5-6oc08Xc0AGioKEArihbc
C4ojdM5gIpJgS5wKGTKomSOuGTpjA1h6Jk-QAehQ2iNTE13ABscJIOkAV9_qXRzoKfAc6KiVF5SRiT3PocH8A
"""

import numpy as np


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """True if both have one dtype, one shape and the same bytes: NaN equals itself, -0.0 is not 0.0."""
    alike = found.dtype == expected.dtype and found.shape == expected.shape
    return alike and found.tobytes() == expected.tobytes()


def split_1() -> None:
    """SPLIT at feature level 1_0: six rows as 2 + 1 + 3."""
    input_tensor = np.array([[[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]]]], np.float32)

    output_tensors = np.split(input_tensor, [2, 3], axis=2)

    assert len(output_tensors) == 3
    expected_0 = np.array([[[[1, 2], [3, 4]]]], np.float32)
    assert same(output_tensors[0], expected_0), "OutputTensors[0] differs"
    expected_1 = np.array([[[[5, 6]]]], np.float32)
    assert same(output_tensors[1], expected_1), "OutputTensors[1] differs"
    expected_2 = np.array([[[[7, 8], [9, 10], [11, 12]]]], np.float32)
    assert same(output_tensors[2], expected_2), "OutputTensors[2] differs"


def main() -> None:
    """Runs every experiment; an AssertionError says what differs."""
    split_1()
    print("split_1: as expected")


if __name__ == "__main__":
    main()
