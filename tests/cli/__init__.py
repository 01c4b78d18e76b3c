"""The ``tavolata`` command as somebody meets it at the terminal or in a script."""
