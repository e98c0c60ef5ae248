"""The client's process, and the run that it is part of: one door for both.

A run is held by a process of its own, the holder (`python -m chorus.steer.runs FOLDER`). It owns the pipes, keeps what
goes through them in the vault, asks the ledger what the client asks, and speaks to whoever attaches over a socket in
the run's folder. Below it stands the warden, parent of the client and of all that the client leaves behind.
"""
