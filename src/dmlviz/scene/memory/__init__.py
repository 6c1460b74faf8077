"""Linear memory: the elements around the cursor's in address order, and the run that moves with it."""
