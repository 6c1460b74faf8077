"""Which feature levels accept a desc, and what each of them takes."""
