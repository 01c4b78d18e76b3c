"""The services and their ports."""
