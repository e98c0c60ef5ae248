"""Tries rules on what was recorded: what they would have decided, before anybody switches them on."""
