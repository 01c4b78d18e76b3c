"""The three processes of the bare way beside the log: service, deliverer, load client. ``bench/peers/bare.py``."""
