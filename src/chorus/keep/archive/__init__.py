"""Conversations in the vault: listed, found by their ids, and opened through the one fold."""
