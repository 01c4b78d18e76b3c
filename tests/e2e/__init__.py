"""The house as it is run: real processes, a real log, the command as anybody types it."""
