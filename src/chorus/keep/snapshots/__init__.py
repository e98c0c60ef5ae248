"""Snapshots of the files that agents change, in a bare git repository of Chorus for each workspace.

Nothing is written to the repository, index, refs, configuration or folder of the person, and nothing in them is run.
"""
