"""A recorded run as values, and the choice between several for a call."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from chorus.lab.fake_claude.arguments import Invocation, parse
from chorus.lab.fake_claude.lines import ScriptLine, text_at


class Recording(Struct, frozen=True):
    """One run of a client: its output, its input, its end."""

    name: str
    lines: list[ScriptLine]
    """Standard output."""
    times: list[float | None] = []
    """When each line arrived, in seconds; shorter than `lines` or with None where that is unknown."""
    sent: list[ScriptLine] = []
    """Standard input."""
    arguments: list[str] | None = None
    """The command line without the program; None if unknown."""
    stderr: bytes = b""
    """Standard error."""
    code: int | None = None
    """The exit code; None if unknown."""
    session: list[ScriptLine] = []
    """The session file that the client wrote, if it was captured."""

    @property
    def session_id(self) -> str:
        """The session id at the start of the run."""
        ids = (text_at(line.value, "session_id") for line in self.lines)
        return next((found for found in ids if found), "")

    @property
    def invocation(self) -> Invocation:
        """The parsed recorded command line; that of a plain `claude` if it is unknown or invalid."""
        found = parse(self.arguments or [])
        return found if isinstance(found, Invocation) else Invocation()

    @property
    def unread(self) -> int:
        """The number of lines that are no JSON object; they are played unchanged."""
        return sum(line.is_unread for line in self.lines)


def times_by_stamp(lines: Sequence[ScriptLine]) -> list[float | None]:
    """Returns times from the timestamps of the lines, for recordings without arrival times; never decreasing."""
    times: list[float | None] = []
    latest = float("-inf")
    for line in lines:
        moment = _moment(text_at(line.value, "timestamp"))
        if moment is not None:
            latest = max(latest, moment)
            moment = latest
        times.append(moment)
    return times


def choose(recordings: Sequence[Recording], asked: Invocation) -> Recording | None:
    """Returns the recording that fits a call best; None if none of them knows the session to resume.

    A new session is played from a run that began one, a resumed session from a run that resumed it. Among these the
    same prompt counts most, then the same output format, then the order of recording. A single recording plays every
    call.
    """
    if len(recordings) < 2:
        return recordings[0] if recordings else None
    fitting = [each for each in recordings if _is_resumption(each.invocation) == _is_resumption(asked)]
    if asked.resume:
        fitting = [each for each in fitting or recordings if each.session_id == asked.resume]
        if not fitting:
            fitting = [each for each in recordings if each.session_id == asked.resume]
            if not fitting:
                return None

    def fit(recording: Recording) -> tuple[bool, bool]:
        then = recording.invocation
        return (asked.prompt is not None and then.prompt == asked.prompt, then.output_format == asked.output_format)

    # If several are equal, `max` returns the first.
    return max(fitting or recordings, key=fit)


def _is_resumption(invocation: Invocation) -> bool:
    return bool(invocation.resume) or invocation.continues


def _moment(stamp: str) -> float | None:
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
