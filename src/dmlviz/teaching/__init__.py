"""Questions about any desc, graded by what is true of it and by wrong rules: no screen, no clock, a seed for dice."""
