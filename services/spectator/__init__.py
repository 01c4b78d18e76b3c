"""The only way out of the house: facts, boards, snapshots and exports, everything redacted for who looks."""
