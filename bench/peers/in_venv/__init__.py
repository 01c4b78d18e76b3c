"""Small programs that run in the peers' own virtual environment and print one JSON: ``bench/peers/in_python.py``.

They import nothing of the house, and nothing here imports them.
"""
