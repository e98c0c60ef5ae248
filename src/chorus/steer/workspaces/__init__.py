"""Workspaces and the agents in them, and what it takes to set one to work."""
