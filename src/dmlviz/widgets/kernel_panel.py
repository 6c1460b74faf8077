"""How the desc runs: cold and warm, told apart, and whether the kernel agrees with the picture."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from ..engine import duration
from .inks import inks_of
from .running import Running


class KernelPanel(Static):
    """Shows a `Running`."""

    _shown: tuple[Running, str] | None = None

    def show(self, state: Running) -> None:
        shown = (state, self.app.theme)
        if shown == self._shown:
            return
        self._shown = shown
        inks = inks_of(self.app.theme_variables, "surface")
        bold, muted, good = f"bold {inks.text.hex}", inks.muted.hex, inks.accent.hex
        text = Text(style=inks.text.hex, no_wrap=True, overflow="ellipsis")
        text.append("Kernel", bold)
        timing = state.timing
        if state.trouble:
            text.append(f"  {state.trouble}", f"bold {inks.error.hex}")
            text.no_wrap = False
        elif state.busy:
            text.append("  getting ready; the picture is the slow reference's", muted)
        elif timing is None:
            text.append("  r", f"bold {good}")
            text.append(" runs and times it; the picture is the slow reference's", muted)
        else:
            text.append(f"  Numba, {timing.kernel}   cold ", muted)
            text.append(duration(timing.cold))
            text.append(" first call", muted)
            text.append(f"\nwarm  {duration(timing.median):>8}", bold)
            text.append(" median", muted)
            for name, value in (("min", timing.min), ("p95", timing.p95)):
                text.append(f"   {name} ", muted)
                text.append(duration(value))
            text.append(f"   n {timing.n:,}", muted)
            text.append(f"\nread {size(timing.bytes_read)}, written {size(timing.bytes_written)}", muted)
            text.append(f"   {timing.gb_per_s:.3g} GB/s")
            if state.agreed:
                text.append("   ✔ ", good)
                text.append(f"{state.agreed:,} elements as pictured", muted)
        self.update(text, layout=False)


def size(count: int) -> str:
    """Bytes with a binary unit."""
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} GiB"
