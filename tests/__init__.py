"""What the house promises, as tests: the kit they speak with, and one folder a promise."""
