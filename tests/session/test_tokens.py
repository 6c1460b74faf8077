"""Tokens: what goes in comes out, old ones stay readable, and whatever is wrong with one is told in a sentence."""

from __future__ import annotations

import hashlib
import json
import re
import tracemalloc
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

import dmlviz as dml
from dmlviz.desc.value_sources import Npy
from dmlviz.session import examples, tokens
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse_experiment
from dmlviz.session.tokens import DICTIONARY, MOST_JSON, TokenError, experiments_of, is_token, to_token
from dmlviz.session.writing import dump, dump_experiment

FIXTURES = Path(__file__).parent / "tokens" / "v1.txt"
SHIPPED = [each for example in examples.all_examples() for each in example.session().experiments]
TILE = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))


def written(each: Experiment) -> str:
    return dump(Session((each,)))


def packed(text: str | bytes) -> str:
    """A token with a good checksum, whatever it holds."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, DICTIONARY)
    return tokens._token_of(deflate.compress(text if isinstance(text, bytes) else text.encode()) + deflate.flush())


def refusal(text: str) -> str:
    with pytest.raises(TokenError) as caught:
        experiments_of(text)[-1]
    said = str(caught.value)
    assert said.isprintable(), said
    assert said.endswith("."), said
    return said


# ---- there and back ---------------------------------------------------------------------------------------------


def test_every_shipped_experiment_comes_back_from_a_short_token() -> None:
    for each in (*SHIPPED, replace(SHIPPED[0], name="數\0\u2028", notes="\x85é\n")):
        token = to_token(each)
        assert re.fullmatch(rf"dml{1 + each.is_wired}:[A-Za-z0-9_-]+", token)
        assert to_token(each) == token
        assert written(found := experiments_of(token)[-1]) == written(each)
        assert found.desc.inferred == each.desc.inferred
    # The dictionary of a token's version stays as it is, so that other operators' fields are spelt out.
    in_dictionary = (dml.Join, dml.Split, dml.ReverseSubsequences, dml.Gather, dml.Tile)
    known = [each for each in SHIPPED if isinstance(each.desc, in_dictionary) and not each.is_wired]
    lengths = sorted(len(to_token(replace(each, notes=""))) for each in known)
    assert lengths[-1] <= 150
    assert lengths[len(lengths) // 2] <= 85
    assert hashlib.sha256(DICTIONARY).digest()[:4].hex() == "a80373e2", "it never changes"


# ---- old tokens -------------------------------------------------------------------------------------------------


def fixtures() -> list[tuple[str, str]]:
    lines = [line for line in FIXTURES.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return list(zip(lines[::2], lines[1::2], strict=True))


def test_old_tokens_stay_readable() -> None:
    assert len(fixtures()) >= 8
    for token, held in fixtures():
        if f"{10**20}" in held:
            with pytest.raises(TokenError, match="has more than 64 bits"):
                experiments_of(token)
            continue
        expected = parse_experiment(json.loads(held), None)
        found = experiments_of(token)[-1]
        assert written(found) == written(expected)
        assert json.loads(held) == dump_experiment(found)


# ---- .npy files -------------------------------------------------------------------------------------------------


def test_what_no_token_can_hold_is_told() -> None:
    with pytest.raises(TokenError, match=r"values\.InputTensor is an \.npy file, expected values that a token holds"):
        to_token(Experiment("n", TILE, values={"InputTensor": Npy("x.npy")}))
    with pytest.raises(TokenError, match=r"takes 2,000,\d+ bytes as text, expected at most 1,048,576 for a token"):
        to_token(Experiment("n" * 2_000_000, TILE))
    two = dump_experiment(Experiment("n", dml.Join((dml.TensorDesc("UINT8", (2,)),) * 2, 0)))
    said = refusal(packed(json.dumps({**two, "values": {"InputTensors": [None, {"npy": "x.npy"}]}})))
    assert said == "the token names a file, expected values that it holds itself."


# ---- damage -----------------------------------------------------------------------------------------------------

GATHER = to_token(replace(SHIPPED[20], notes=""))


def test_what_mail_clients_do_is_forgiven() -> None:
    pieces = re.findall(".{1,20}", GATHER)
    for changed in ("\r\n\t ".join(pieces), " \u00a0".join(GATHER), f"<{GATHER}>", f'"{GATHER}".', GATHER + "=="):
        assert experiments_of(changed) == experiments_of(GATHER)
        assert is_token(changed)


def test_a_token_that_is_cut_or_damaged_anywhere_is_refused() -> None:
    said = "the token is cut or damaged, expected all of it as it was copied."
    for stop in range(5, len(GATHER)):
        assert refusal(GATHER[:stop]) == said, stop
    for i in range(5, len(GATHER)):
        for other in "A_zé":
            assert other == GATHER[i] or refusal(GATHER[:i] + other + GATHER[i + 1 :]) == said, (i, other)
    assert refusal(GATHER + "AAAA") == refusal(GATHER[:20] + GATHER[21:] + "A") == said


def test_other_versions_are_told_apart() -> None:
    for head in ("dml3:", "dml0:"):
        said = f"the token begins {head}, expected dml1: or dml2:; a newer dmlviz may read it."
        assert refusal(head + GATHER[5:]) == refusal(head) == said
    assert refusal("hello") == 'found "hello", expected a token, which begins dml1:.'
    assert [is_token(text) for text in ("dml:x", "./dml1:x", "dml17:x")] == [False, False, True]


def test_what_a_good_checksum_covers_is_still_checked() -> None:
    for held, said in (("", "line 1, column 1"), ("[]", "found [], expected"), (b"\xff", "holds no UTF-8")):
        assert said in refusal(packed(held))
    assert "nested too deep" in refusal(packed("[" * 100_000))
    assert "feature_level is missing" in refusal(packed('{"name": "n"}'))


@pytest.mark.slow
def test_a_bomb_is_not_unpacked() -> None:
    bomb = packed(b" " * 500_000_000)
    tracemalloc.start()
    assert f"inflates to more than {MOST_JSON:,} bytes" in refusal(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4 * MOST_JSON
    assert "expected at most 2,097,152" in refusal("dml1:" + "A" * 3_000_000)
