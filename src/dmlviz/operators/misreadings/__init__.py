"""Wrong rules that people hold about an operator, one file each: what `Operator.misreadings` finds."""
