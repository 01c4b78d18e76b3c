"""Who may what."""
