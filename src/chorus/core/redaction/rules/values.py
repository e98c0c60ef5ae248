"""Parts of patterns: how a value stands in a text when nothing but the words around it says that it is secret."""

BARE = r"([^\s\"'\x60,;(){}<>\[\]\\|]{8,100})"
"""A value without quotes. A comma, a bracket or a pipe ends it."""
QUOTED = r"(?:\"([^\"\s\\<>]{8,100})\"|'([^'\s\\<>]{8,100})'|\x60([^\x60\s\\<>]{8,100})\x60)"
"""A value in quotes. It may have any other characters."""
ANY = rf"(?:{QUOTED}|{BARE})"
