"""Pictures without a screen: N-D layout, colour identity, the order of steps. All of it is asked by coordinate."""
