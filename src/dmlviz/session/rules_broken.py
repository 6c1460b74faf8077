"""Sessions that break the rules that no example is about, by the rule's id. Of the others there is an example."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _tensor(kind: str, *sizes: int) -> str:
    return f'{{"DataType": "{kind}", "Sizes": {list(sizes)}}}'


def _experiment(name: str, operator: str, desc: str, values: str = "", level: str = "5_0") -> str:
    head = f'"name": "{name}", "feature_level": "{level}", "type": "DML_OPERATOR_{operator}"'
    return f'{{{head}, "desc": {{{desc}}}, "values": {{{values}}}}}'


def _session(*experiments: str) -> str:
    return f'{{"dmlviz": 1, "experiments": [{", ".join(experiments)}]}}'


def _tiled(name: str, source: str = "", kind: str = "FLOAT32", size: int = 2, level: str = "5_0") -> str:
    wire = f'"InputTensor": {{"from": "{source}"}}' if source else ""
    return _experiment(name, "TILE", f'"InputTensor": {_tensor(kind, size)}, "Repeats": [2]', wire, level)


def _padded(mode: str, level: str) -> str:
    desc = f'"InputTensor": {_tensor("FLOAT32", 1, 1, 2, 2)}, "PaddingMode": {mode}, "PaddingValue": 0.0, '
    return _session(
        _experiment("a border", "PADDING", f'{desc}"StartPadding": [0, 0, 1, 1], "EndPadding": [0, 0, 1, 1]', "", level)
    )


def _strided(strides: str) -> str:
    tensor = f'{_tensor("FLOAT32", 2, 2)[:-1]}, "Strides": {strides}}}'
    return _session(_experiment("rows", "TILE", f'"InputTensor": {tensor}, "Repeats": [1, 2]'))


_PICKED = f'"InputTensor": {_tensor("FLOAT32", 3)}, "IndicesTensor": {_tensor("UINT32", 4)}'
BROKEN: Mapping[str, str] = MappingProxyType(
    {
        "value.known": _padded("9", "5_0"),
        "value.supported": _padded('"SYMMETRIC"', "1_0"),
        "number.range": _session(
            _experiment(
                "a stride beyond INT",
                "SLICE1",
                f'"InputTensor": {_tensor("FLOAT32", 4)}, "OutputTensor": {_tensor("FLOAT32", 1)}, '
                f'"InputWindowOffsets": [0], "InputWindowSizes": [4], "InputWindowStrides": [{2**31}]',
            )
        ),
        "note.strides_broadcast": _strided("[0, 1]"),
        "note.strides_padding": _strided("[4, 1]"),
        "chain.source": _session(_tiled("twice", "once")),
        "chain.cycle": _session(_tiled("one", "other"), _tiled("other", "one")),
        "chain.data_type": _session(_tiled("once"), _tiled("twice", "once", "FLOAT16", 4)),
        "chain.elements": _session(_tiled("once"), _tiled("twice", "once", "FLOAT32", 3)),
        "chain.reinterpreted": _session(
            _experiment("rows", "TILE", f'"InputTensor": {_tensor("FLOAT32", 1, 2)}, "Repeats": [2, 1]'),
            _tiled("flat", "rows", "FLOAT32", 4),
        ),
        "chain.level": _session(_tiled("once", level="6_0"), _tiled("twice", "once", size=4)),
        "chain.clamped": _session(
            _experiment(
                "indices", "TILE", f'"InputTensor": {_tensor("UINT32", 2)}, "Repeats": [2]', '"InputTensor": [0, 7]'
            ),
            _experiment(
                "picked",
                "GATHER",
                f'{_PICKED}, "Axis": 0, "IndexDimensions": 1',
                '"IndicesTensor": {"from": "indices"}',
            ),
        ),
    }
)
