"""`python -m dmlviz`."""

from .cli.entry import main

if __name__ == "__main__":
    main()
