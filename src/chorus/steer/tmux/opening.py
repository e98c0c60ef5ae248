"""Opens a pane for a program: in the session of tmux in which the person works, or in a new one."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from chorus.base import processes
from chorus.core.protocol.environment import RUN_VARIABLE
from chorus.errors import TmuxFailed
from chorus.steer.tmux.arguments import is_pane
from chorus.steer.tmux.following import FOLLOW_OPTION

HISTORY_ROWS = 100_000
"""How many rows tmux keeps of such a pane. tmux counts the rows of the screen, so a long record takes many."""
_WAITING = ("sleep", "60")
_HERE = "TMUX"
"""The variable with which tmux tells a program its server: path of the socket, number of the server, session."""


class Opened(Struct, frozen=True):
    """A pane that was opened."""

    socket: str
    pane: str
    place: str


def open_pane(call: Sequence[str], folder: Path, *, follows: bool, socket: str = "") -> Opened:
    """Starts a program in a new window and returns its pane. Raises `TmuxFailed` if that is not possible.

    With `follows`, the pane stays when the program ends, and `chorus serve` records what it prints. `socket` names
    another server, as after `tmux -S`.
    """
    here = os.environ.get(_HERE, "").partition(",")[0]
    server = socket or here
    start = ["tmux", "-u", *(["-S", server] if server else [])]
    environment = {name: value for name, value in os.environ.items() if name not in (RUN_VARIABLE, _HERE)}
    is_new = not (here and server == here)
    name = f"chorus-{secrets.token_hex(3)}"
    target = f"={name}:" if is_new else os.environ.get("TMUX_PANE", "")
    chain: list[list[str]] = []
    if is_new:
        # The length of the history counts when a window is made, so the first window only waits.
        size = ["-x", "200", "-y", "50"]
        chain += [["new-session", "-d", *size, "-s", name, "-n", "begin", "-c", str(folder), "--", *_WAITING]]
        chain += [["set-option", "-t", target, "history-limit", str(HISTORY_ROWS)]]
    where = ["-t", target] if is_new else []
    form = "#{pane_id} #{socket_path} #{session_name}:#{window_index}.#{pane_index}"
    # A pane that is followed gets its options before its program starts: a short program could end before them.
    first = [*_WAITING] if follows else _as_arguments(call)
    chain += [["new-window", "-d", *where, "-P", "-F", form, "-c", str(folder), "--", *first]]
    said = _run(start, chain, environment)
    pane, path, place = [*said.strip().split(" ", 2), "", ""][:3]
    if not is_pane(pane):
        raise TmuxFailed(f"tmux did not open a pane: {said.strip()[:200]}")
    then = [
        ["set-option", "-p", "-t", pane, FOLLOW_OPTION, "on"],
        ["set-option", "-p", "-t", pane, "remain-on-exit", "on"],
        ["respawn-pane", "-k", "-t", pane, "-c", str(folder), "--", *_as_arguments(call)],
    ]
    after = then if follows else []
    after += [["kill-window", "-t", f"={name}:begin"]] if is_new else []
    if after:
        _run(start, after, environment)
    return Opened(path, pane, place)


def _as_arguments(call: Sequence[str]) -> list[str]:
    """Returns a command such that tmux passes it on word by word: a single word would go to a shell."""
    return list(call) if len(call) > 1 else ["env", *call]


def _run(start: list[str], chain: list[list[str]], environment: dict[str, str]) -> str:
    words = list(start)
    for number, each in enumerate(chain):
        words += [";"] if number else []
        # A semicolon at the end of a word would end the command.
        words += [f"{word[:-1]}\\;" if word.endswith(";") else word for word in each]
    try:
        code, said = processes.run_once(words, environment)
    except OSError as error:
        raise TmuxFailed(f"tmux cannot be started: {error.strerror or error}") from error
    if code:
        raise TmuxFailed(f"tmux could not open a pane: {said.strip()[:200]}")
    return said
