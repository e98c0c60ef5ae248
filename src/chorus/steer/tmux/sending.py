"""Sends a message to a client in a pane, as if a person had pasted it and pressed Enter.

It is refused unless the client waits for a message: with a prompt open, the text could answer the prompt; while a
person types, it would get into their words.
"""

import time
from collections.abc import Callable

from chorus.base import processes
from chorus.errors import ChorusError
from chorus.steer.clients.registry_entry import Running
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.input_box import is_empty
from chorus.steer.tmux.panes import Pane, list_panes
from chorus.steer.tmux.pasting import cleaned, paste, press
from chorus.steer.tmux.placing import PlacedClient, place
from chorus.steer.tmux.sight import Sight, look_into, objection_to_keys

SETTLE_S = 0.1
"""Two looks this far apart must be equal before Enter is pressed."""
PATIENCE_S = 5.0
TYPING_S = 3
"""A person who pressed a key in this pane this many seconds ago may still be typing."""

Look = Callable[[], Running | None]
"""Returns the registry entry of the session as it is now."""


def send_message(connection: Connection, placed: PlacedClient, look: Look, text: str) -> None:
    """Sends a message. Raises `ChorusError` with the reason if it was refused, or if the client did not take it."""
    words = cleaned(text)
    if not words:
        raise ChorusError("there is nothing to send")
    pane = placed.pane
    before = _checked(connection, placed, look)
    objection = _objection_to_message(connection, pane, before)
    if objection is not None:
        raise ChorusError(f"not sent: {objection}")
    paste(connection, pane.id, words)
    settled = _settled(connection, pane, before)
    if settled is None:
        raise ChorusError("the text was pasted, but the client shows nothing of it; Enter was not pressed")
    _checked(connection, placed, look)
    if not press(connection, pane.id, "Enter", settled.unchanged):
        raise ChorusError("the text was pasted, but the pane changed; Enter was not pressed")
    if not _was_taken(connection, placed, look):
        raise ChorusError("Enter was pressed, but the client does not work on it; look at the pane")


def _checked(connection: Connection, placed: PlacedClient, look: Look) -> Sight:
    """Returns what the pane shows, if the client waits for a message in the foreground of it."""
    running = look()
    if running is None or (running.pid, running.process_start) != (placed.running.pid, placed.running.process_start):
        raise ChorusError("not sent: the session has ended")
    if running.status != "idle":
        what = "a prompt is open" if running.status == "waiting" else "the client is busy"
        raise ChorusError(f"not sent: {what}; try again when it waits for a message")
    now = place(list_panes(connection), processes.at_terminals(), [running]).get(running.session)
    if now is None or now.pane.key != placed.pane.key or now.pane.pid != placed.pane.pid:
        raise ChorusError("not sent: the client is not in this pane any more")
    if not now.is_foreground:
        raise ChorusError("not sent: the client is in the background of its pane")
    return look_into(connection, placed.pane)


def _objection_to_message(connection: Connection, pane: Pane, sight: Sight) -> str | None:
    objection = objection_to_keys(pane, sight)
    if objection is not None:
        return objection
    if not is_empty(sight.cursor_row, sight.fact("cursor_x")):
        return "there is text in the input, or a menu is open"
    now = int(time.time())
    for line in connection.run("list-clients", "-F", "#{client_control_mode} #{client_activity} #{pane_id}"):
        is_control, activity, shown = line.decode("utf-8", "replace").split(" ", 2)
        if is_control != "1" and shown == pane.id and activity.isdigit() and now - int(activity) < TYPING_S:
            return "a person types in this pane"
    return None


def _settled(connection: Connection, pane: Pane, before: Sight) -> Sight | None:
    """Returns the pane when it shows the text and does not change any more; None if that does not happen."""
    end = time.monotonic() + PATIENCE_S
    last = before
    while time.monotonic() < end:
        time.sleep(SETTLE_S)
        now = look_into(connection, pane)
        if now == last and now != before:
            return now
        last = now
    return None


def _was_taken(connection: Connection, placed: PlacedClient, look: Look) -> bool:
    """Returns whether the client began to work, or has an empty input again."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        running = look()
        if running is None or running.status != "idle" or running.status_since_ms != placed.running.status_since_ms:
            return True
        sight = look_into(connection, placed.pane)
        if is_empty(sight.cursor_row, sight.fact("cursor_x")):
            return True
        time.sleep(SETTLE_S)
    return False
