"""What a desc is made of: tensors, data types, feature levels, fields, and sources of values."""
