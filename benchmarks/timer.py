"""A timer process of the grid: `python benchmarks/timer.py numpy`; see `grid.timer_process`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from grid.timer_process import main

if __name__ == "__main__":
    main(sys.argv[1])
