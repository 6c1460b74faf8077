"""Opens the level that is named as the first argument over an explorer, for tests that send a terminal's bytes."""

from __future__ import annotations

import sys
from pathlib import Path

import dmlviz.app
from dmlviz.app import DmlvizApp
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.session import examples
from dmlviz.teaching.lessons.lessons import level
from dmlviz.teaching.progress.progress import Progress


class LevelApp(DmlvizApp):
    """An explorer with a level on it; ends when that is left, with 0 where it was solved and 1 where it wasn't."""

    CSS_PATH = str(Path(dmlviz.app.__file__).parent / DmlvizApp.CSS_PATH)  # else it is looked for beside this file

    def on_explorer_shown(self) -> None:
        def closed(solved: bool | None) -> None:
            self.exit(return_code=0 if solved else 1)

        self.push_screen(LevelScreen(level(sys.argv[1]), Progress(Path(sys.argv[2]))), closed)


if __name__ == "__main__":
    app = LevelApp(examples.example("join-1").session())
    app.run()
    sys.exit(app.return_code or 0)
