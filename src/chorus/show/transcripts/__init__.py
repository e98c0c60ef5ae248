"""What a reader of one conversation sees, from the index and the vault lines it names; never the whole folded."""
