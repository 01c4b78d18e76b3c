"""The house on one machine: child processes and their data folder."""
