"""The settings files of the client: which ones it reads, what in them acts by itself, and what changes during a run."""
