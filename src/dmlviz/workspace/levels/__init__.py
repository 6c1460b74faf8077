"""A level that is worked on."""
