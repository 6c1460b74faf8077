"""Exported chains in C++, compiled by g++ and run: the graph that a device has to compile, and what it computes."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.exporters.lib.chained import Group

from .compiled_cpp import HEADERS, WARNINGS

_MAIN = """
#include <{on}.h>
#include <cstdio>
#include <cstdlib>

struct Made : IDMLOperator
{{
    int number = 0, held = 1;
    UINT Release() override {{ return static_cast<UINT>(--held); }}
}};
static Made made[64];
static int count = 0;

template <class T, class F>
static void Edges(const char* name, const DML_GRAPH_EDGE_DESC* edges, UINT n, DML_GRAPH_EDGE_TYPE type, F print)
{{
    std::printf(",\\"%s\\":[", name);
    for (UINT i = 0; i < n; ++i)
    {{
        if (edges[i].Type != type)
        {{
            std::abort();
        }}
        std::printf(i ? "," : "");
        print(*static_cast<const T*>(edges[i].Desc));
    }}
    std::printf("]");
}}

struct Device : IDMLDevice1
{{
    HRESULT CheckFeatureSupport(DML_FEATURE, UINT, const void* query, UINT, void* found) override
    {{
        static_cast<DML_FEATURE_DATA_FEATURE_LEVELS*>(found)->MaxSupportedFeatureLevel =
            static_cast<const DML_FEATURE_QUERY_FEATURE_LEVELS*>(query)->RequestedFeatureLevels[0];
        return S_OK;
    }}
    HRESULT CreateOperator(const DML_OPERATOR_DESC*, REFIID, void** ppv) override
    {{
        made[count].number = count;
        *ppv = static_cast<IDMLOperator*>(&made[count++]);
        return S_OK;
    }}
    HRESULT CompileGraph(const DML_GRAPH_DESC* desc, DML_EXECUTION_FLAGS, REFIID riid, void**) override
    {{
        if (riid.number != IDMLCompiledOperator::id.number)
        {{
            return E_INVALIDARG;
        }}
        std::printf("{{\\"counts\\":[%u,%u],\\"nodes\\":[", desc->InputCount, desc->OutputCount);
        for (UINT i = 0; i < desc->NodeCount; ++i)
        {{
            const auto& node = *static_cast<const DML_OPERATOR_GRAPH_NODE_DESC*>(desc->Nodes[i].Desc);
            std::printf("%s[%d,\\"%s\\"]", i ? "," : "", static_cast<Made*>(node.Operator)->number, node.Name);
        }}
        std::printf("]");
        Edges<DML_INPUT_GRAPH_EDGE_DESC>("inputs", desc->InputEdges, desc->InputEdgeCount, DML_GRAPH_EDGE_TYPE_INPUT,
            [](const DML_INPUT_GRAPH_EDGE_DESC& e)
            {{ std::printf("[%u,%u,%u]", e.GraphInputIndex, e.ToNodeIndex, e.ToNodeInputIndex); }});
        Edges<DML_OUTPUT_GRAPH_EDGE_DESC>("outputs", desc->OutputEdges, desc->OutputEdgeCount,
            DML_GRAPH_EDGE_TYPE_OUTPUT, [](const DML_OUTPUT_GRAPH_EDGE_DESC& e)
            {{ std::printf("[%u,%u,%u]", e.FromNodeIndex, e.FromNodeOutputIndex, e.GraphOutputIndex); }});
        Edges<DML_INTERMEDIATE_GRAPH_EDGE_DESC>("between", desc->IntermediateEdges, desc->IntermediateEdgeCount,
            DML_GRAPH_EDGE_TYPE_INTERMEDIATE, [](const DML_INTERMEDIATE_GRAPH_EDGE_DESC& e)
            {{
                std::printf("[%u,%u,%u,%u]", e.FromNodeIndex, e.FromNodeOutputIndex, e.ToNodeIndex, e.ToNodeInputIndex);
            }});
        return S_OK;
    }}
}};

{parts}

int main()
{{
    Device device;
{calls}
}}
"""


def graphs(texts: Sequence[str], chains: Sequence[Sequence[Group]], folder: Path) -> list[Any]:
    """The graph that each chain's function has a device compile; all operators have to be released."""
    parts, calls = [], []
    for i, (text, groups) in enumerate(zip(texts, chains, strict=True)):
        (folder / f"e{i}.cpp").write_text(text, encoding="utf-8")
        parts.append(f'namespace e{i}\n{{\n#include "e{i}.cpp"\n}}')
        for group in groups:
            calls.append("    count = 0; for (Made& each : made) each.held = 1;")
            calls.append(
                f"    {{ IDMLCompiledOperator* c = nullptr; const HRESULT hr = e{i}::chain_{group.number}(&device, &c);"
            )
            calls.append("      int held = 0; for (int k = 0; k < count; ++k) held += made[k].held;")
            calls.append('      std::printf(",\\"hr\\":%d,\\"held\\":%d}\\n", hr, held); }')
    source, binary = folder / "main.cpp", folder / "main"
    source.write_text(_MAIN.format(on="DirectML", parts="\n".join(parts), calls="\n".join(calls)), encoding="utf-8")
    gxx = shutil.which("g++")
    assert gxx is not None
    command = [gxx, "-std=c++14", *WARNINGS, "-O0", f"-I{folder}", f"-I{HEADERS}", str(source), "-o", str(binary)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert built.returncode == 0, built.stderr[:4000]
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def computed(graph: Any, group: Group) -> list[NDArray[Any]]:
    """What a graph's outputs are by its edges alone; inputs hold what the session fills them with, in their order."""
    stages = [one for _, one in group]
    assert [number for number, _ in graph["nodes"]] == list(range(len(stages)))
    filled = {(to, k): (node, output) for node, output, to, k in graph["between"]}
    fed = {(to, k): number for number, to, k in graph["inputs"]}
    assert sorted(fed.values()) == list(range(graph["counts"][0]))
    made: list[list[NDArray[Any]]] = []
    for node, one in enumerate(stages):
        arrays = []
        for k, (part, values) in enumerate(zip(one.desc.inputs, one.sources(), strict=True)):
            assert ((node, k) in filled) != ((node, k) in fed)
            led = filled.get((node, k))
            arrays.append(values.array() if led is None else made[led[0]][led[1]].reshape(part.tensor.sizes))
        made.append(dml.run(one.desc, arrays, feature_level=one.feature_level))
    outputs = sorted(graph["outputs"], key=lambda edge: int(edge[2]))
    assert [edge[2] for edge in outputs] == list(range(graph["counts"][1]))
    return [made[node][output] for node, output, _ in outputs]
