"""Who may what: the keys that are trusted, the tokens that they sign, and the one table of rights.

Without a trust file a house is open: nobody is asked who they are, and it stays on loopback.
"""
