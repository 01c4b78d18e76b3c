"""What tests speak with: given-when-then, a table to play at, the laws, playthroughs."""
