"""The vocabulary that every game and every service speaks; it names no game and imports nothing of ours."""
