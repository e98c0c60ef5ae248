"""Transcript pages of a conversation, built from the index and the vault lines it names, without folding it all."""
