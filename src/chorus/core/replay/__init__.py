"""A conversation over time: its moments, the state at each of them, and how to play them. Pure."""
