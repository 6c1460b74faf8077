"""The rows of a form: what they hold, what is typed into them, and what there is to know about them."""
