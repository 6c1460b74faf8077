"""Tokens: one experiment as a short line of text, to be pasted into a chat, an issue or a command line.

A token is `dml1:` and three parts in base64url without padding:

- four bytes of the SHA-256 of the body,
- the body's length, seven bits a byte, low ones first, the top bit set where more follow,
- the body, a raw deflate stream with DICTIONARY. It inflates to the experiment's JSON, compact and in UTF-8.

One that reads others is `dml2:`; its body inflates to a list of their JSON, itself last, and so is what holds all
experiments of a session. An older program says that a newer one reads it.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import zlib
from collections.abc import Sequence
from typing import Any

from ..desc.value_sources import Npy, Wired
from ..errors import DmlvizError, quote
from ..formats.json_text import parse_json
from .experiments import Experiment, Session
from .reading import parse_experiment
from .whole_files import digest
from .writing import dump_experiment

VERSION = 2
"""The newest version that is read; what has no wires is written as version 1."""
MOST_JSON = 1 << 20
"""Bytes that a token inflates to at most."""
MOST_TEXT = 1 << 21
"""Characters of a token at most, line breaks included."""
_CHECKSUM = 4

# Part of version 1: a token made with it can't be read without it, so not one character may ever change. What tokens
# hold most often stands last, where it costs least to refer to.
DICTIONARY = (
    b" device driver error E_INVALIDARG Microsoft DirectML DxDispatch ONNX PyTorch NumPy kernel memory bytes page "
    b" tensor. tensors, element elements same size sizes row rows column columns slice sequence sequences copy copies "
    b" axis dimension dimensions index indices length lengths first second last along of the because from each would "
    b"to fit before after which more than one must be and the output is that the input with in a not only for it has "
    b" are by this all as at, then open it in OutputTensor.Sizes[InputTensors[1] IndexDimensions**What does Axis "
    b"Where does the element in OutputTensor[0,0,1, come from? **Predict, then try it.**"
    b'","notes":"{"fill":"constant","value":"-inf"nan{"fill":"random","seed":}},{"fill":"iota","start":0,"step":'
    b'UINT16INT16FLOAT64INT8"UINT64UINT8INT64INT32"},{"DataType":"FLOAT16","Sizes":[1,1,1,1,1,1,2,2,'
    b'"level":"1_0","type":"DML_OPERATOR_2_0","2_1","3_0","3_1","4_0","4_1","5_1","5_2","6_0","6_1","6_2","6_3",'
    b'":"DML_OPERATOR_REVERSE_SUBSEQUENCES","desc":{"InputTensor":{"DataType":"FLOAT32","Sizes":[1,2,3]},'
    b'"SequenceLengthsTensor":{"DataType":"UINT32","Sizes":[1,4,1,1]},"Axis":'
    b'":"DML_OPERATOR_SPLIT","desc":{"InputTensor":{"DataType":"FLOAT32","Sizes":[1,1,]},"OutputCount":3,'
    b'"OutputTensors":[{"DataType":"FLOAT32","Sizes":[1,1,'
    b'":"DML_OPERATOR_TILE","desc":{"InputTensor":{"DataType":"FLOAT32","Sizes":[1,1,4,"RepeatsCount":4,"Repeats":[1,1,'
    b'":"DML_OPERATOR_JOIN","desc":{"InputCount":2,"InputTensors":[{"DataType":"FLOAT32","Sizes":[1,1,2,'
    b"4]},{"
    b'"DataType":"FLOAT32","Sizes":[1,1,2,3]}],"OutputTensor":{"DataType":"FLOAT32","Sizes":[1,1,'
    b']},"Axis":},"values":{"InputTensors":[[[[[1,2,3],[4,5,6],[7,8,9],[10,11,12],[13,14,15,16'
    b']],{"fill":"iota","start":1,"step":1}},"SequenceLengthsTensor":[['
    b'{"name":"","feature_level":"5_0","type":"DML_OPERATOR_GATHER","desc":{"InputTensor":{"DataType":"FLOAT32","Sizes":['
    b']},"IndicesTensor":{"DataType":"UINT32","Sizes":[1,]},"OutputTensor":{"DataType":"FLOAT32","Sizes":[4,2]},"Axis":0,'
    b'"IndexDimensions":1},"values":{"InputTensor":[[1,2],[3,4],[5,6]],"IndicesTensor":[[0,1,1,2]]}},"notes":"'
    b'"feature_level":"6_4","type":"DML_OPERATOR_'
)

_HEAD = re.compile(r"dml(\d{1,9}):")


class TokenError(DmlvizError):
    """Text isn't a token that this version reads, or an experiment doesn't go into one."""


def is_token(text: str) -> bool:
    """True for what begins as a token of any version does."""
    return _HEAD.match(_bare(text[:64])) is not None


def to_token(one: Experiment) -> str:
    """The experiment as a token. Raises TokenError for one that is too large, and for values of .npy files."""
    return token_of(one.stages)


def token_of(every: Sequence[Experiment]) -> str:
    """Experiments, of which none reads another that isn't among them, as one token. Raises TokenError as `to_token`."""
    trees = [_tree_of(one) for one in every]
    shown = f"experiment {quote(every[-1].name)}"
    several = len(trees) > 1
    tree = trees if several else trees[0]
    try:
        data = json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, TypeError, RecursionError):  # made in Python; nothing like this comes out of a file
        raise TokenError(f"{shown} can't be written as JSON, expected finite numbers.") from None
    if len(data) > MOST_JSON:
        most = f"at most {MOST_JSON:,} for a token; a session file holds it"
        raise TokenError(f"{shown} takes {len(data):,} bytes as text, expected {most}.")
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, DICTIONARY)
    return _token_of(deflate.compress(data) + deflate.flush(), 2 if several else 1)


def _token_of(body: bytes, version: int = 1) -> str:
    return f"dml{version}:{_base64(_head(body) + body)}"


def _head(body: bytes) -> bytes:
    length, rest = bytearray(), len(body)
    while rest > 127:
        length.append(rest & 127 | 128)
        rest >>= 7
    return bytes.fromhex(digest(body))[:_CHECKSUM] + bytes((*length, rest))


def _tree_of(one: Experiment) -> dict[str, Any]:
    """The JSON of one experiment. Raises TokenError for a wire that leads nowhere, and for an .npy file."""
    one = one.settled(keeps_missing=True)
    for path, entry in one.values.items():
        if isinstance(entry, Wired) and entry.source is None:
            why = "is wired, and no session says to what."
            if entry.loose is not None:
                why = entry.loose[-1]
            raise TokenError(f"{path} of {quote(one.name)} {why}")
        if isinstance(entry, Npy):
            raise TokenError(f"values.{path} is an .npy file, expected values that a token holds; a session file does.")
    return {key: value for key, value in dump_experiment(one, view=False).items() if key != "values" or value}


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def experiments_of(text: str) -> tuple[Experiment, ...]:
    """The experiments of a token: the one that it is of behind those that it reads. Raises TokenError."""
    if len(text) > MOST_TEXT:
        raise TokenError(f"the token has {len(text):,} characters, expected at most {MOST_TEXT:,}.")
    bare = _bare(text)
    head = _HEAD.match(bare)
    if head is None:
        raise TokenError(f"found {quote(bare[:60])}, expected a token, which begins dml1:.")
    version = int(head[1])
    if version not in (1, VERSION):
        raise TokenError(f"the token begins {head[0]}, expected dml1: or dml{VERSION}:; a newer dmlviz may read it.")
    data = _json_in(bare[head.end() :].rstrip("="))
    try:
        tree = parse_json(data.decode())
        trees = [tree] if version == 1 else tree
        if not isinstance(trees, list) or not trees:
            raise TokenError("the token holds no list of experiments, expected one.")
        with contextlib.suppress(RecursionError):  # so deep that it is refused before any file is read
            if '"npy": ' in json.dumps(tree):
                raise TokenError("the token names a file, expected values that it holds itself.")
        return Session(tuple(parse_experiment(one, None) for one in trees)).experiments
    except UnicodeDecodeError:
        raise TokenError("the token holds no UTF-8, expected an experiment in JSON.") from None
    except TokenError:
        raise
    except DmlvizError as error:
        raise TokenError(f"the token: {error}") from None


def _bare(text: str) -> str:
    return "".join(text.split()).strip("<>()[]\"'`,.;")


def _body(coded: str) -> bytes:
    """The deflate stream of a token. Raises ValueError where anything of it is wrong."""
    held = base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4))
    used = next((n for n, byte in enumerate(held[_CHECKSUM : _CHECKSUM + 4], 1) if byte < 128), 4)
    body = held[_CHECKSUM + used :]
    if _base64(_head(body) + body) != coded:
        raise ValueError
    return body


def _json_in(coded: str) -> bytes:
    """The JSON of a token, without how it begins. Raises TokenError where anything of it is wrong."""
    inflate = zlib.decompressobj(-zlib.MAX_WBITS, DICTIONARY)
    data = b""
    with contextlib.suppress(ValueError, zlib.error):
        data = inflate.decompress(_body(coded), MOST_JSON + 1)
    if len(data) > MOST_JSON:
        raise TokenError(f"the token inflates to more than {MOST_JSON:,} bytes, expected at most that.")
    if not inflate.eof or inflate.unused_data:
        raise TokenError("the token is cut or damaged, expected all of it as it was copied.")
    return data
