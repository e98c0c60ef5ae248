"""Permission requests of programs that print flat events in followed panes.

Three sources must agree, as for a client: the record is the last one of a stream that Chorus follows, the program that
printed it is in the foreground of its pane, and the pane shows the record right above the cursor. The answer is the
line `y` or `n`, which such programs read from their terminal.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from chorus.base import processes
from chorus.errors import TmuxFailed
from chorus.steer.clients.open_calls import OpenCall
from chorus.steer.tmux.agreement import Agreement
from chorus.steer.tmux.flat_stream import FlatStream
from chorus.steer.tmux.panes import Pane, panes_of
from chorus.steer.tmux.prompt_options import Keys
from chorus.steer.tmux.prompt_source import AfterKey, Connections, Obstacle
from chorus.steer.tmux.shells import is_interactive_shell
from chorus.steer.tmux.sight import Sight, look_into, objection_to_keys

TOOL = "permission_request"
"""What the card calls the tool: the record does not say it in a way that could be trusted."""
KEYS = Keys("y Enter", "n Enter", ("y", "n"))
_QUESTION = re.compile(r"(?:[^{}]{0,200}[\[(][yY]/[nN][\])]\s*[:?]?\s*)?")
"""What may stand between the record and the cursor: nothing, or a question that names both keys."""
_SHOWN_CHARS = 200

Followed = Callable[[], Mapping[tuple[str, str], tuple[Pane, int, FlatStream]]]
"""Returns the followed panes by their keys: each with the group of processes that prints, and its stream."""


class FlatPrompts:
    """The requests at the end of followed streams. Its keys are panes."""

    def __init__(self, followed: Followed) -> None:
        self._followed = followed
        self.obstacles: tuple[Obstacle, ...] = ()
        """The requests that are only shown, as of the last look; may be read from any thread."""

    def look(self, connections: Connections) -> dict[str, Agreement | str]:
        found: dict[str, Agreement | str] = {}
        obstacles: list[Obstacle] = []
        for pane, _, stream in self._followed().values():
            why: Agreement | str = stream.obstacle
            if stream.request is not None:
                why = found[" ".join(pane.key)] = self._look_closely(pane.key, connections)[0]
            if isinstance(why, str) and why:
                obstacles.append(Obstacle(stream.session or "", pane.place, why))
        self.obstacles = tuple(obstacles)
        return found

    def again(self, known: Agreement, connections: Connections) -> tuple[Agreement | str, Sight | None]:
        return self._look_closely(known.pane, connections)

    def sent(self, known: Agreement) -> None:
        followed = self._followed().get(known.pane)
        if followed is not None:
            followed[2].answer()

    def after_key(self, sent: Agreement) -> AfterKey:
        followed = self._followed().get(sent.pane)
        if followed is None or followed[1] != sent.client_pid:
            return AfterKey.GONE
        stream = followed[2]
        if stream.request is not None and stream.request.text == sent.call.input:
            return AfterKey.ASKS_AGAIN
        return AfterKey.ACTED if stream.has_gone_on else AfterKey.WAITS

    def _look_closely(self, key: tuple[str, str], connections: Connections) -> tuple[Agreement | str, Sight | None]:
        followed = self._followed().get(key)
        connection = connections.get(Path(key[0]))
        pane = next((each for each in panes_of(connection) if each.key == key), None) if connection else None
        if followed is None or connection is None or pane is None:
            return "the stream has ended", None
        try:
            sight = look_into(connection, pane)
        except TmuxFailed as error:
            return str(error), None
        return _agree(pane, followed[1], followed[2], sight), sight


def _agree(pane: Pane, group: int, stream: FlatStream, sight: Sight) -> Agreement | str:
    request, session = stream.request, stream.session
    if request is None or not session:
        return "the stream does not end with one request of a session that it named"
    first = processes.look(group)
    if first is None or is_interactive_shell(first.command):
        return "the program that printed the request has ended"
    at_terminals = processes.at_terminals().values()
    if not any(each.device == pane.device and each.is_foreground and each.group == group for each in at_terminals):
        return "the program that printed the request is in the background of its pane"
    objection = objection_to_keys(pane, sight)
    if objection is not None:
        return objection
    if not _is_at_cursor(sight, request.text):
        return "the pane does not show the request right above the cursor"
    return Agreement(
        session=session,
        pane=pane.key,
        pane_pid=pane.pid,
        client_pid=group,
        client_start=first.started_at,
        waiting_since_ms=None,
        call=OpenCall(f"request-{request.number}", TOOL, request.text),
        keys=KEYS,
    )


def _is_at_cursor(sight: Sight, text: str) -> bool:
    """Returns whether the screen ends with a record, and nothing was printed or typed after it but a question."""
    at = sight.fact("cursor_y")
    if any(row.strip() for row in sight.rows[at + 1 :]):
        return False
    shown = "".join("".join(sight.rows[: at + 1]).split())
    wanted = "".join(text.split())[-_SHOWN_CHARS:]
    _, found, rest = shown.rpartition(wanted)
    return bool(found) and _QUESTION.fullmatch(rest) is not None
