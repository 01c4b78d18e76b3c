"""Tournaments: who meets whom, what it counts, and how the whole event follows from its log.

Pure like the rest of the engine. Start with ``state`` for what an event is made of, ``decider`` for who may do what
when, ``director`` for what the house owes an event next.
"""
