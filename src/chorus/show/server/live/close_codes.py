"""With which words a live socket is closed."""

DONE = 1000
GOING_AWAY = 1001
"""The server ends; come back in a moment."""
MISUSED = 1008
"""What was said over it makes no sense."""
TRY_AGAIN = 1013
"""Too slow, or too many of them: come back later."""
LOGGED_OUT = 4401
"""The session has ended, or the ticket is not good: log in again."""
