"""Paired devices: which phones may use the server, and what each of them may do."""
