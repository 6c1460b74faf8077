"""C++ with structs of DirectML, and DirectMLX."""
