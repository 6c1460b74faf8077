"""The modules of libraries that dmlviz itself never imports."""
