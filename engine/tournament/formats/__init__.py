"""Formats of an event besides Swiss rounds: who sits together, who goes on, when it ends.

Pure functions over the numbers of entrants. They return plain pods; chairs, table numbers and table sizes are the
business of the pairing.
"""
