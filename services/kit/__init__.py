"""What every service is built from: the log, the wire, the clock, the settings, the life of a process."""
