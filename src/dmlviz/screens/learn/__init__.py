"""Screens for who learns: questions about the desc on the screen."""
