"""The functions of the Python API: files, vault, costs, following. `chorus/__init__.py` lists all public names."""
