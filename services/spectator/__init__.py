"""The only way out of the house: facts, positions and exports, everything redacted for who looks."""
