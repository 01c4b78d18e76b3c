"""``tavolata-luck-1``: seeds, rolls and draws that anybody can compute again, and the verifier that does."""
