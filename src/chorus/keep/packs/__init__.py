"""Packs: one conversation with all its side files as one file, which another machine or another path can resume."""
