"""Players that see only what a seat sees: they watch as a seat, fold what they are sent, and act like anybody else."""
