"""The fields of a desc: the form, the line above the picture, and what is typed or chosen there."""
