"""Standings: what everybody has, who stands before whom, and why.

Start with ``rules`` for what an event may choose, ``ranking`` for the order, ``explained`` for the reasons. ``book``
is what the tie-breaks read; they stand in ``own`` (from one's own tables), ``opponents`` and ``lots``.
"""
