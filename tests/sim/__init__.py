"""The whole house in one process, from one seed, on a virtual clock, with faults and one checker per invariant.

``plan`` draws from the seed who plays what and what will go wrong; ``world`` builds the house of the real use cases on
ports in memory, lets it run until every match is complete, and hands what was seen to ``checkers``. Nothing sleeps,
nothing asks the machine for the time or for luck: a seed and a commit are a failure that anybody can see again.
"""
