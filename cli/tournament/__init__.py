"""``tavolata tournament``: an event from its configuration to its archive."""
