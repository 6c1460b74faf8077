"""Prints the lowest version that pyproject.toml allows of each package, as constraints for pip.

Those are the packages that everybody has, and those of the extras that are named.
"""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
extras = [project["optional-dependencies"][name] for name in sys.argv[1:]]
for line in sum(extras, project["dependencies"]):
    name, lowest = re.fullmatch(r"([\w-]+)>=([\d.]+),<[\d.]+", line).groups()
    print(f"{name}=={lowest}")
