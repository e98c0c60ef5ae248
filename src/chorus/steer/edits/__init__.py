"""Edits as agents make them: what hooks report about tool calls, and the snapshots that are taken around them."""
