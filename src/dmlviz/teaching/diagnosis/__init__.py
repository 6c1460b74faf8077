"""What somebody's answers tell, and what is asked next."""
