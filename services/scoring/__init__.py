"""Live scores, objectives and results of every match, in a read model that the log can rebuild."""
