"""Chorus' hooks in the client's settings: what is written there, the small program they call, and how it is undone."""
