"""An element that is looked at, and what belongs to it on both sides."""
