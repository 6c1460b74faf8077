"""What operators mean: rules, fixes, maps and words, in one module for each operator and others for what they share."""
