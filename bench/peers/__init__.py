"""What Tavolata is measured beside: other people's programs, and the barest ones that do a part of the same work.

Whatever is installed for them lies under ``build/bench``, apart from the house. Each runs as processes of its own,
which answer within a deadline and end with the block that they were started in.
"""
