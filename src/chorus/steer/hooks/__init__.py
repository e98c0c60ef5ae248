"""The hooks of Chorus in the client's settings: what is written, the program that they call, and their removal."""
