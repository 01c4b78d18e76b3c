"""What is told live: one upstream for an audience, and any number of readers on it."""
