"""Kinds of questions by what they say of themselves, as tests ask about them."""

from __future__ import annotations

from dmlviz.teaching.kinds.lib.asking import kinds

WITH_FORM = frozenset(name for name, kind in kinds().items() if kind.form.name in ("field", "desc"))
FORMS = {name: kind.form.name for name, kind in kinds().items() if name not in WITH_FORM}
OF_CHAINS = tuple(name for name, kind in kinds().items() if kind.of_chains)
AUTHORED = frozenset(name for name, kind in kinds().items() if kind.authored)
ASKED = tuple(name for name in kinds() if name not in AUTHORED)
"""Those that are asked about any experiment."""
MEMORY = frozenset(name for name, kind in kinds().items() if kind.about_memory)
IN_PICTURE = frozenset(name for name, kind in kinds().items() if kind.pictured)
DRAWN = IN_PICTURE | {"level"}
