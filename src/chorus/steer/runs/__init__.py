"""The process of the client and the run that it belongs to: the only package that starts either.

A run has a process of its own, the holder (`python -m chorus.steer.runs FOLDER`). It owns the pipes, records them in
the vault, sends the client's requests to the permission ledger, and serves attached programs over a socket in the
folder of the run. Below it runs the warden, the parent of the client and of every process that the client leaves
behind.
"""
