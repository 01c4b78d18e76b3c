"""The ``tavolata`` command: the house on this machine, and a client of any house."""
