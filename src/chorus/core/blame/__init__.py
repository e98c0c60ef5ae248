"""Which edit wrote which line: versions of a file in, an origin for each line out. Pure.

Lines are followed by content through the versions of a file, never by time. A line whose origin is not certain has
none: no answer is better than a wrong one.
"""
