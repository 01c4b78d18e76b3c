"""A crowd that reads one match: who tells it, who passes it on, and who reads."""
