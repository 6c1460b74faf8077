"""The main screen: what is built at the left, where every element goes at the right."""
