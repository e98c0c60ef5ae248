"""Restores original files from the vault, checks that the vault is undamaged, and forgets conversations."""
