"""A question, its subject and verdict; elements, goals and wording that kinds ask about."""
