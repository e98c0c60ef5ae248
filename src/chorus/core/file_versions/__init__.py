"""Files over time: the versions of every file that a conversation touched, and how certain each of them is. Pure."""
