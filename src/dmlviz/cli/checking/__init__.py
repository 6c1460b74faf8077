"""What `dmlviz check` finds, and how it tells that."""
