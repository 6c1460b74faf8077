"""The panels beside and below the picture: rules, reasons, kernel, notes, levels."""
