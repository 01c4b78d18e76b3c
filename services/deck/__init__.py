"""Luck as a service: it alone holds the master key, and it gives nothing away early."""
