"""Workspaces and their agents, and everything that is needed to start one."""
