"""The pieces of the picture."""
