"""What the texts beside this file hold, worked out by hand."""

from __future__ import annotations

import dmlviz as dml
from real.judging import (
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    NOT_CHECKED,
    U8,
    U32,
    VALID,
    Answer,
    broken,
    one,
    t,
)

ROWS_TWICE = dml.Tile(t(F32, 1, 1, 2, 3), (1, 1, 2, 1), t(F32, 1, 1, 4, 3))
TILE_ROWS = dml.Tile(t(F32, 3, 3), (2, 1), t(F32, 6, 3))
HALVES = (t(F32, 2, 3), t(F32, 2, 3))
SQUARES = one(dml.Join((t(F32, 4, 4),) * 2, 0, t(F32, 8, 4)), NOT_CHECKED)
CONDITIONAL = ("axis_set_by_static", "type_chosen_in_loop", "alternatives")
"""Texts in which another part than a straight line may say what a field holds."""

STRAIGHT = ("rounded_bytes", "in_a_lambda", "guarded_header", "calls_behind_it")
"""Ways to write one desc, of literals alone."""

ANSWERS: dict[str, Answer] = {
    "gather_rows.cpp": one(dml.Gather(t(F32, 1, 1, 40, 16), t(U32, 1, 1, 1, 3), 2, 1, t(F32, 1, 1, 3, 16))),
    "gather_pairs_per_row_issue.md": one(
        dml.Gather(t(F32, 4, 5), t(U32, 4, 2), 1, 1, t(F32, 4, 2)), broken("indices.leading IndicesTensor.Sizes[0]")
    ),
    # IndexDimensions 0 takes one index: the two of the last size are more than it, and the output has to have 1 for 2.
    "gather_forgot_index_dimensions.cpp": one(
        dml.Gather(t(F16, 1, 7, 4), t(I32, 1, 1, 2), 1, 0, t(F16, 1, 2, 4)),
        broken("indices.leading IndicesTensor.Sizes[2]", "gather.sizes OutputTensor.Sizes[1]"),
    ),
    "gather_designated.cpp": one(dml.Gather(t(F16, 1, 1, 32, 8), t(I64, 1, 1, 2, 5), 2, 2, t(F16, 1, 2, 5, 8))),
    "gather_wrong_output.md": one(
        dml.Gather(t(I32, 1, 6, 10), t(I64, 1, 1, 4), 1, 1, t(I32, 1, 6, 10)),
        broken("gather.sizes OutputTensor.Sizes[1]"),
    ),
    "join_vector_push_back.cpp": one(dml.Join((t(F32, 1, 3, 20, 20), t(F32, 1, 5, 20, 20)), 1, t(F32, 1, 8, 20, 20))),
    "join_sizes_differ.md": one(
        dml.Join((t(F16, 1, 2, 63, 64), t(F16, 1, 2, 64, 64)), 1, t(F16, 1, 4, 64, 64)),
        broken("sizes.match InputTensors[0].Sizes[2]"),
    ),
    # UINT makes 4294967295 of it; -1 is what the text says, and no axis either.
    "join_axis_from_end.cpp": one(dml.Join((t(I8, 2, 9), t(I8, 2, 9)), -1, t(I8, 2, 18)), broken("axis.range Axis")),
    "join_axis_too_large.cpp": one(
        dml.Join((t(U8, 4, 1, 6), t(U8, 4, 1, 6)), 3, t(U8, 4, 2, 6)), broken("axis.range Axis")
    ),
    # At 2_0 JOIN takes four dimensions.
    "join_old_level.cpp": one(
        dml.Join((t(F32, 1, 2, 3, 4, 5),) * 2, 0, t(F32, 2, 2, 3, 4, 5)),
        broken(
            "dimension_count.supported InputTensors[0].DimensionCount",
            "dimension_count.supported InputTensors[1].DimensionCount",
            "dimension_count.supported OutputTensor.DimensionCount",
        ),
    ),
    "split_three.cpp": one(dml.Split(t(F16, 1, 12, 96), (t(F16, 1, 12, 32),) * 3, 2)),
    "split_vector_of_count.cpp": one(dml.Split(t(F32, 1, 8, 6, 6), (t(F32, 1, 2, 6, 6),) * 4, 1)),
    "split_sum_is_short.cpp": one(
        dml.Split(t(F32, 3, 10), (t(F32, 3, 4), t(F32, 3, 5)), 1), broken("sizes.sum InputTensor.Sizes[1]")
    ),
    "split_count_too_large.cpp": one(
        dml.Split(t(F32, 8, 2), (t(F32, 4, 2), t(F32, 4, 2)), 0, 3), broken("count.matches OutputCount")
    ),
    "tile_heads.cpp": one(dml.Tile(t(F32, 1, 2, 1, 16), (1, 1, 4, 1), t(F32, 1, 2, 4, 16))),
    "tile_repeats_short.md": one(
        dml.Tile(t(F32, 1, 1, 2, 3), (2, 3), t(F32, 1, 1, 4, 9)), broken("repeats.count RepeatsCount")
    ),
    "tile_of_doubles.cpp": one(
        dml.Tile(t(F64, 1, 1, 1, 5), (1, 1, 3, 1), t(F64, 1, 1, 3, 5)),
        broken("dtype.supported InputTensor.DataType", "dtype.supported OutputTensor.DataType"),
    ),
    "tile_wrong_output_diff.md": one(
        dml.Tile(t(I32, 2, 6), (2, 2), t(I32, 4, 6)), broken("sizes.repeat OutputTensor.Sizes[1]")
    ),
    "reverse_padded_batch.cpp": one(
        dml.ReverseSubsequences(t(F32, 3, 7, 4), t(U32, 3, 1, 4), 1, t(F32, 3, 7, 4)),
    ),
    "reverse_flat_lengths.cpp": one(
        dml.ReverseSubsequences(t(F16, 1, 1, 5, 6), t(U32, 1, 1, 5, 6), 3, t(F16, 1, 1, 5, 6)),
        broken("lengths.sizes SequenceLengthsTensor.Sizes[3]"),
    ),
    "reverse_lengths_of_halves.cpp": one(
        dml.ReverseSubsequences(t(F16, 2, 4), t(F16, 2, 1), 1, t(F16, 2, 4)),
        broken("dtype.supported SequenceLengthsTensor.DataType"),
    ),
    "helper_function.cpp": one(dml.Join((t(F32, 1, 1, 4, 5), t(F32, 1, 1, 2, 5)), 2, t(F32, 1, 1, 6, 5))),
    "helper_class.cpp": one(dml.Split(t(F32, 1, 4, 9, 2), (t(F32, 1, 4, 5, 2), t(F32, 1, 4, 4, 2)), 2)),
    "kernel_of_tensorflow.cpp": one(dml.Tile(t(F32, 1, 1, 3, 2), (1, 1, 2, 1), t(F32, 1, 1, 6, 2))),
    # No size stands in it: a desc that nothing can be said of.
    "provider_kernel.cpp": one(dml.Gather(t(F32, 1), t(U32, 1), 0, 1), NOT_CHECKED),
    "loop_over_parts.cpp": one(dml.Join((t(F32, 5, 2),) * 3, 1, t(F32, 5, 6))),
    "member_sizes.cpp": one(dml.Tile(t(U8, 1, 3, 8, 8), (1, 1, 2, 1), t(U8, 1, 3, 16, 8))),
    "two_operators.cpp": Answer(
        ((dml.Split(t(F32, 2, 6), HALVES, 1), VALID), (dml.Join(HALVES, 1, t(F32, 2, 6)), VALID))
    ),
    "two_blocks.md": Answer(
        (
            (TILE_ROWS, VALID),
            (
                dml.Tile(t(F32, 3, 3), (1, 2), t(F32, 6, 3)),
                broken("sizes.repeat OutputTensor.Sizes"),
            ),
        )
    ),
    "web_page.md": one(dml.Join((t(F32, 1, 4), t(F32, 1, 4)), 1, t(F32, 1, 8))),
    "dimension_count_too_large.cpp": one(
        dml.Tile(t(F32, 1, 1, 2, 3), (1, 1, 2, 1), t(F32, 1, 1, 4, 3)),
        broken("tensor.dimension_count InputTensor.DimensionCount"),
    ),
    "total_size_too_small.cpp": one(
        dml.Tile(t(F32, 2, 3), (1, 2), t(F32, 2, 6)), broken("tensor.total_size InputTensor.TotalTensorSizeInBytes")
    ),
    "total_size_of_elements.cpp": one(
        dml.Join((t(I8, 5), t(I8, 5)), 0, t(I8, 10)),
        broken(
            "tensor.total_size InputTensors[0].TotalTensorSizeInBytes",
            "tensor.total_size InputTensors[1].TotalTensorSizeInBytes",
        ),
    ),
    "total_size_never_set.cpp": one(
        dml.Gather(t(F32, 4, 2), t(U32, 1, 3), 0, 1, t(F32, 3, 2)),
        broken("tensor.total_size InputTensor.TotalTensorSizeInBytes"),
    ),
    "strides_transposed.cpp": one(dml.Tile(t(F32, 3, 2), (1, 2), t(F32, 3, 4))),
    "strides_broadcast.cpp": one(dml.Split(t(F32, 1, 4, 2, 2), (t(F32, 1, 2, 2, 2),) * 2, 1)),
    "strides_packed.cpp": one(dml.Join((t(F32, 2, 3, 4),) * 2, 2, t(F32, 2, 3, 8))),
    "flags_owned.cpp": one(dml.Gather(t(F32, 9, 3), t(U32, 1, 2), 0, 1, t(F32, 2, 3)), NOT_CHECKED),
    "alignment.cpp": one(dml.Tile(t(F16, 16), (2,), t(F16, 32))),
    "directmlx.cpp": one(dml.Gather(t(F32, 1, 1, 5, 4), t(U32, 1, 1, 1, 2), 2, 1, t(F32, 1, 1, 2, 4))),
    "other_operators_only.cpp": Answer(()),
    "sentences_in_a_comment.h": one(
        dml.ReverseSubsequences(t(I16, 1, 2, 8), t(U32, 1, 2, 1), 2, t(I16, 1, 2, 8)),
    ),
    "changed_padded_in_front.cpp": one(ROWS_TWICE, VALID),
    "changed_in_a_loop.cpp": one(ROWS_TWICE, VALID),
    "changed_by_one.cpp": one(
        dml.Tile(t(F32, 1, 1, 2, 3), (1, 1, 2, 2), t(F32, 1, 1, 4, 3)), broken("sizes.repeat OutputTensor.Sizes[3]")
    ),
    "changed_by_a_function.cpp": one(ROWS_TWICE, NOT_CHECKED),
    "changed_in_a_branch.cpp": one(ROWS_TWICE, NOT_CHECKED),
    **{f"{name}.cpp": SQUARES for name in CONDITIONAL},
    **{f"straight_{name}.cpp": one(dml.Tile(t(F32, 2, 3), (2, 1), t(F32, 4, 3))) for name in STRAIGHT},
    "straight_expressions_join.cpp": one(dml.Join((t(F32, 1, 2, 3), t(F32, 1, 4, 3)), 1)),
    "straight_expressions_split.cpp": Answer(
        (
            (dml.Split(t(F16, 1, 8, 2), (t(F16, 1, 2, 2), t(F16, 1, 6, 2)), 1), VALID),
            (dml.Join((t(F16, 1, 2, 2), t(F16, 1, 6, 2)), 1), VALID),
        )
    ),
    "straight_expressions_tile.cpp": one(dml.Tile(t(I32, 2, 3), (3, 1))),
    "straight_expressions_reverse.cpp": one(dml.ReverseSubsequences(t(F32, 2, 5), t(U32, 2, 1), 1)),
    # As public projects write it: ONNX Runtime, TensorFlow, WebNN, samples. What no text says is never checked.
    "public_ort_join.cpp": one(dml.Join((), 0), NOT_CHECKED),
    "public_ort_tile.cpp": one(TILE_ROWS, NOT_CHECKED),
    "public_ort_split.cpp": one(dml.Split(t(F32, 2), (), 0), NOT_CHECKED),
    "public_ort_reverse.cpp": one(dml.ReverseSubsequences(t(F32, 2), t(U32, 1), 0), NOT_CHECKED),
    "public_ort_fused_node.cpp": one(dml.Split(t(F16, 2, 8, 48), (t(F16, 2, 8, 16),) * 3, 2)),
    "public_tf_gather.cpp": one(dml.Gather(t(F32, 1), t(U32, 1), 0, 1), NOT_CHECKED),
    "public_tf_concat.cpp": one(dml.Join((), 0), NOT_CHECKED),
    "public_tf_tile_graph.cpp": one(dml.Tile(t(F32, 2), (1,)), NOT_CHECKED),
    "public_webnn_native_split.cpp": one(dml.Split(t(F32, 2), (), 0), NOT_CHECKED),
    "public_webnn_native_macro.cpp": one(dml.Join((t(F32, 1, 4, 2),) * 2, 1, t(F32, 1, 8, 2))),
    "public_chromium_concat.cpp": one(dml.Join((), 0), NOT_CHECKED),
    "public_chromium_gather.cpp": one(dml.Gather(t(F32, 1), t(U32, 1), 0, 1), NOT_CHECKED),
    "public_chromium_expand.cpp": one(dml.Tile(t(F32, 1, 3), (5, 1), t(F32, 5, 3))),
    "public_sample_hello.cpp": one(dml.Tile(t(F32, 1, 2, 3, 4), (1, 1, 1, 1), t(F32, 1, 2, 3, 4))),
    "public_sample_yolo.cpp": one(dml.Join((t(F32, 1, 256, 26, 26),) * 2, 1), NOT_CHECKED),
    "public_sample_join_of_inputs.cpp": one(dml.Join((t(F32, 1, 256, 26, 26), t(F32, 1, 512, 26, 26)), 1)),
    "public_sample_super_resolution.cpp": one(TILE_ROWS, NOT_CHECKED),
    "public_strides_in_a_loop.cpp": one(dml.Tile(t(F32, 1, 1, 4, 8), (1, 1, 1, 1), t(F32, 1, 1, 4, 8)), NOT_CHECKED),
    "public_bytes_by_a_lambda.cpp": one(dml.Split(t(F16, 1, 1, 12, 64), (t(F16, 1, 1, 12, 32),) * 2, 3), NOT_CHECKED),
    "public_test_of_gather.cpp": one(dml.Gather(t(F32, 1, 1, 8, 4), t(U32, 1, 1, 1, 3), 2, 1, t(F32, 1, 1, 3, 4))),
}
