"""The gateway over HTTP, in process."""
