"""The rules of everything, and nothing else: no I/O, no clock, no chance, no floats in state.

``kernel`` is the vocabulary, ``luck`` the dice, ``games`` one folder a game. Whatever reaches the world stands in
``services``.
"""
