"""One game's rules as a service: the only one that decides, and the only writer of the log."""
