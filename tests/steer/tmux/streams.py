"""Streams that programs print in panes."""

from chorus.testing.builders import Flat, Run, Session


def printed(*messages, session="4b1e2c3d-0000-4000-8000-000000000009"):
    """Returns what a client prints in stream-json: its beginning, messages, and the end of the turn."""
    run = Run(session)
    run.init()
    for each in messages:
        run.assistant(each)
    run.result()
    return bytes(run)


def flat_events(*texts, session="flat-1"):
    """Returns flat events: the beginning of a session and fragments of text."""
    flat = Flat()
    flat.start(session)
    for each in texts:
        flat.text(each)
    return bytes(flat)


def session_lines():
    """Returns lines of a session file."""
    session = Session()
    session.user("a")
    session.assistant("b")
    return bytes(session)
