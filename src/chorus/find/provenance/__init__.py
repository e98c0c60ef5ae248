"""Leads from a line of a file, or from a commit, back to the conversation and the prompt that wrote it."""
