"""What thousands of entrants need all at once, in arrays of 64-bit integers: the points table, what differs between two
of them, who has met whom.

Each of these says the same as plain code beside it, which is the definition and is asked for one entrant; tests hold
the two together. Nothing here is in a state or a log.
"""
