"""JSON and numbers as text, exactly; files, QR codes, and what notebooks show."""
