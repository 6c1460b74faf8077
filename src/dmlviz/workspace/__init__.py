"""The explorer without a screen: one method for each thing that a user does, each yields one frozen state."""
