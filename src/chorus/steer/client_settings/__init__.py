"""Which files the client takes orders from, what in them acts by itself, and what of that changes while it works."""
