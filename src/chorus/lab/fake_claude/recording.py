"""A recorded run as values, and which of several a caller's arguments ask for."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from chorus.lab.fake_claude.arguments import Invocation, parse
from chorus.lab.fake_claude.lines import Line, words


class Recording(Struct, frozen=True):
    """One run of a client: what it said, what it was told, how it ended."""

    name: str
    lines: list[Line]
    """Standard output."""
    times: list[float | None] = []
    """When each line came, in seconds; shorter than `lines`, or with gaps, where that is not known."""
    sent: list[Line] = []
    """Standard input."""
    arguments: list[str] | None = None
    """The command line without the program; None where it is not known."""
    complaint: bytes = b""
    """Standard error."""
    code: int | None = None
    """The exit code; None where it is not known."""
    session: list[Line] = []
    """The session file the client wrote, if it was kept."""

    @property
    def session_id(self) -> str:
        """The id the run began with."""
        ids = (words(line.value, "session_id") for line in self.lines)
        return next((found for found in ids if found), "")

    @property
    def invocation(self) -> Invocation:
        """What the recorded command line asked for; a plain `claude` where it is not known or not understood."""
        found = parse(self.arguments or [])
        return found if isinstance(found, Invocation) else Invocation()

    @property
    def unread(self) -> int:
        """How many lines are no JSON object; they are played as they are."""
        return sum(line.is_unread for line in self.lines)


def times_by_stamp(lines: Sequence[Line]) -> list[float | None]:
    """Times from the lines' own timestamps, for recordings without arrival times; never going back."""
    times: list[float | None] = []
    latest = float("-inf")
    for line in lines:
        moment = _moment(words(line.value, "timestamp"))
        if moment is not None:
            latest = max(latest, moment)
            moment = latest
        times.append(moment)
    return times


def choose(recordings: Sequence[Recording], asked: Invocation) -> Recording | None:
    """The recording that fits a call best; None when a session is to be resumed that none of them knows.

    A new session is played from a run that began one, a resumed session from a run that resumed it. Among these the
    same prompt counts most, then the same output format, then the order of recording. A recording that stands alone
    plays whatever is asked for.
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

    # Of equals, `max` takes the first.
    return max(fitting or recordings, key=fit)


def _is_resumption(invocation: Invocation) -> bool:
    return bool(invocation.resume) or invocation.continues


def _moment(stamp: str) -> float | None:
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
