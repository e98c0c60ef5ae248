"""Lists the conversations in the vault, finds them by id, and opens them through the one fold."""
