"""A session of dmlviz: GATHER, example 2.

Each function checks a desc, runs it on the compiled kernel, asks where an element comes from, and times
warm calls, each of which follows another of the same arrays at once. The output is held against the
expected one, bit for bit.

dml1:ifM7OdABzdZBCsIwEAXQq-QAJVDbnQtXXsAbhColWGloiilI7-7_M6HW4saF4LYlmWQ-ZN7SeA7m1uFRHz5EUP0mgkrb82UK9V_H8Er
hSEmoS4Jvrhjm0EPfXeifYkGHDPoJg1h9IeOZEBDynHWFNSekU1IU3Amfx4T61rydg7_T4EdgjHR4YHLXsyoj9koRFstWAznuMEzqV4raq1A
27UFh2YRSqHEuPHDRmmwKH9fkkeVyhfJgNlJAOAZHciGQPX4yu0LElISddFDTuVvA5bLiqIr5CQ
"""

import statistics
import timeit

import numpy as np

import dmlviz as dml


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """True if both have one dtype, one shape and the same bytes: NaN equals itself, -0.0 is not 0.0."""
    alike = found.dtype == expected.dtype and found.shape == expected.shape
    return alike and found.tobytes() == expected.tobytes()


def gather_1() -> str:
    """GATHER at feature level 3_0: row gather."""
    input_tensor = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    indices_tensor = np.array([[0, 1, 1, 2]], np.uint32)

    desc = dml.Gather(
        input_tensor=dml.TensorDesc("FLOAT32", (3, 2)),
        indices_tensor=dml.TensorDesc("UINT32", (1, 4)),
        output_tensor=dml.TensorDesc("FLOAT32", (4, 2)),
        axis=0,
        index_dimensions=1,
    )
    arrays = [input_tensor, indices_tensor]

    report = dml.check(desc, arrays, feature_level="3_0")
    assert report.ok, [check.message for check in report.errors]
    (output_tensor,) = dml.run(desc, arrays, feature_level="3_0")

    expected = np.array([[1, 2], [3, 4], [3, 4], [5, 6]], np.float32)
    assert same(output_tensor, expected), "OutputTensor differs"

    source = dml.trace(desc, arrays, feature_level="3_0").source(output=0, index=(3, 1))
    assert output_tensor[3, 1].tobytes() == arrays[source.tensor][source.index].tobytes()
    call = dml.bind(desc, arrays, feature_level="3_0")
    seconds = statistics.median(timeit.repeat(call, setup=call, repeat=9, number=1))
    element = f"element {source.index} of input {source.tensor}"
    return f"OutputTensor[3, 1] is {element}; a warm call takes {seconds * 1e6:.3g} microseconds"


def main() -> None:
    """Runs every experiment; an AssertionError says what differs."""
    print("gather_1: as expected;", gather_1())


if __name__ == "__main__":
    main()
