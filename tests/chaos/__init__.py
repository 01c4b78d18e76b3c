"""A round of a tournament while the house around it is killed, paused and cut off: ``python -m tests.chaos``.

``faults`` says what is done and when, by a seed; ``house`` does it to processes and ``compose`` to containers;
``event`` plays; ``evidence`` collects what is left; ``checkers`` find what must not be; ``run`` puts it together, and
``report`` and ``picture`` tell of it.
"""
