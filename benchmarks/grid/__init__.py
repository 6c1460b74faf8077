"""The grid: cells, the processes that time each library on them, and what comes out."""
