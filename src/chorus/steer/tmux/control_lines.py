"""Reads the lines of a control client (`tmux -C`). Pure: bytes in, values out; no input raises.

Two kinds of lines arrive: notifications, which begin with `%`, and the replies to commands between `%begin` and `%end`.
The text of a reply is not escaped, and what a program printed may be in it: a line of a pane can look exactly like the
end of the reply. So each command is followed by a second one that prints a secret number, and the reply ends at the
last `%end` before that number, which no program in a pane can know.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_OUTPUT = re.compile(rb"%(?:output (%[0-9]+) |extended-output (%[0-9]+) [^:]*: )")
_GUARD = re.compile(rb"%(begin|end|error) ([0-9]+ [0-9]+) ([0-9]+)")
_OCTAL = {b"%03o" % value: bytes([value]) for value in range(256)}


class Output(NamedTuple):
    """Bytes that a program wrote to the terminal of a pane."""

    pane: str
    data: bytes


class Notice(NamedTuple):
    """Any other notification, such as `pause %3` or `exit`."""

    name: str
    rest: str


class Reply(NamedTuple):
    """What a command printed."""

    lines: list[bytes]
    is_error: bool


def unescape(data: bytes) -> bytes:
    """Returns the bytes that tmux wrote with `\\ooo` for control characters and for the backslash itself."""
    if b"\\" not in data:
        return data
    first, *rest = data.split(b"\\")
    return first + b"".join([_OCTAL.get(each[:3], b"\\" + each[:3]) + each[3:] for each in rest])


def notification(line: bytes) -> Output | Notice | None:
    """Returns what a line outside of a reply says; None for a line that says nothing."""
    found = _OUTPUT.match(line)
    if found is not None:
        return Output((found[1] or found[2]).decode(), unescape(line[found.end() :]))
    if not line.startswith(b"%"):
        return None
    name, _, rest = line[1:].partition(b" ")
    return Notice(name.decode("utf-8", "replace"), rest.decode("utf-8", "replace"))


def split_reply(lines: Iterable[bytes]) -> tuple[Reply, list[bytes], list[bytes]]:
    """Returns the reply to a command, and the lines of notifications before and after it.

    `lines` are all lines from the sending of the command to the `%begin` of the secret number. Without a complete reply
    in them, the reply is an error without lines.
    """
    all_lines = list(lines)
    begin = next((n for n, line in enumerate(all_lines) if _is_own_begin(line)), None)
    if begin is None:
        return Reply([], is_error=True), all_lines, []
    opened = _GUARD.fullmatch(all_lines[begin])
    assert opened is not None
    ends = (b"%end " + opened[2] + b" " + opened[3], b"%error " + opened[2] + b" " + opened[3])
    for end in range(len(all_lines) - 1, begin, -1):
        if all_lines[end] in ends:
            reply = Reply(all_lines[begin + 1 : end], is_error=all_lines[end].startswith(b"%error"))
            return reply, all_lines[:begin], all_lines[end + 1 :]
    return Reply([], is_error=True), all_lines, []


def _is_own_begin(line: bytes) -> bool:
    """Returns whether a reply to a command of this client begins; other replies have the flag 0."""
    found = _GUARD.fullmatch(line)
    return found is not None and found[1] == b"begin" and found[3] != b"0"
