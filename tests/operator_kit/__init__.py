"""The operator kit: whatever is registered as an operator is held against an oracle, all the way through."""
