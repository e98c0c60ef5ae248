"""The part of the Python API that needs the vault, prices or a watcher. `chorus/__init__.py` lists all public names."""
