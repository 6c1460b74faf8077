"""See where every element goes: DirectML's JOIN, SPLIT, REVERSE_SUBSEQUENCES, GATHER and TILE.

import dmlviz as dml
desc = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), axis=0, index_dimensions=1)
dml.check(desc).ok
dml.run(desc, [x, indices])
dml.trace(desc, [x, indices]).source(output=0, index=(2, 0))
"""

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

if not (3, 11) <= sys.version_info < (3, 15):  # pip refuses these; a copy that is run as it is comes here
    _said = "dmlviz needs Python 3.11 to 3.14, found {}.{}.".format(*sys.version_info)
    _runs = sys.argv[0] == "-m" or sys.argv[0].endswith(("dmlviz", "dmlviz.exe"))
    raise SystemExit(_said) if _runs else ImportError(_said)

from .formats.displayed import Displayed
from .version import __version__ as __version__

if TYPE_CHECKING:
    from .api import *  # noqa: F403
    from .api import __all__ as __all__


def __getattr__(name: str) -> Any:
    """Public names are those of `api`, which is imported when one is first asked for: the explorer needs few of it."""
    spec = importlib.util.find_spec(f"{__name__}.{name}")
    is_module = spec is not None and spec.origin is not None  # the wheel's folder of examples has none
    if name == "__all__" or not (name.startswith("_") or is_module):
        api = importlib.import_module(".api", __name__)
        if hasattr(api, name):
            public = globals()[name] = getattr(api, name)
            return public
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})


Displayed.shown_by = staticmethod(lambda: importlib.import_module(".recording.display", __name__))  # when asked for
