"""Measurements, never tests: ``python -m bench`` puts the house beside its limits and its peers.

``rows`` holds one module a row of the table, ``peers`` what we are compared with, ``kit`` what all of them use.
"""
