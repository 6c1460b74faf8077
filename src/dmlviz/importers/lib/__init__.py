"""What sources share: which there are, what they give, and the blocks of a pasted text."""
