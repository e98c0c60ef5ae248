"""The close codes of live sockets."""

DONE = 1000
GOING_AWAY = 1001
"""The server is shutting down; the application reconnects after a moment."""
MISUSED = 1008
"""The application sent an invalid frame."""
TRY_AGAIN = 1013
"""The socket was too slow, or there are too many sockets; the application reconnects later."""
LOGGED_OUT = 4401
"""The session has ended, or the ticket is not valid: the person has to log in again."""
REASONS = {
    DONE: "This socket is over.",
    GOING_AWAY: "The server ends.",
    MISUSED: "What this socket said could not be read, or not at this point.",
    TRY_AGAIN: "The server cannot serve this socket now; come back with your position.",
    LOGGED_OUT: "The ticket or the login is not valid any more: get a new ticket, or pair this device again.",
}
"""Code → what the close frame says, for people who write clients."""
