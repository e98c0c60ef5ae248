"""How a script is played: how fast, and which of its lines the caller's options include."""

from typing import Any

from msgspec import Struct

from chorus.lab.fake_claude.arguments import Invocation
from chorus.lab.fake_claude.lines import ScriptLine, text_at


class Playback(Struct, frozen=True):
    """The caller's settings for a playback."""

    speed: float = 0
    """How many times faster than recorded; 0 for no pauses."""
    longest_gap: float | None = None
    """The longest pause between two lines, in seconds."""
    is_strict: bool = False
    """Whether a prompt that differs from the recorded one ends the run."""
    is_streaming: bool = True
    """Whether the caller can be asked, and answer, on standard input."""
    asks: bool = True
    """Whether the caller decides about permissions."""
    replays: bool = False
    """Whether the caller wants its own messages repeated."""
    options: frozenset[str] = frozenset()
    """The names of all options that the caller gave."""

    @property
    def forwards(self) -> bool:
        """Whether the caller wants the text of sub-agents."""
        return "forward-subagent-text" in self.options

    def pause(self, recorded: float) -> float:
        """Returns how long to wait for a recorded pause; negative if the clock of the recording went back."""
        if not self.speed:
            return 0
        longest = float("inf") if self.longest_gap is None else self.longest_gap
        return min(recorded / self.speed, longest)

    def shows(self, line: ScriptLine) -> bool:
        """Whether the client would have written the line with these options."""
        match line.kind:
            case "stream_event":
                return "include-partial-messages" in self.options
            case "transcript_mirror":
                return "session-mirror" in self.options
            case "system":
                return self._shows_system(line)
            case _:
                return True

    def _shows_system(self, line: ScriptLine) -> bool:
        if line.subtype in {"hook_started", "hook_response", "hook_progress"}:
            return "include-hook-events" in self.options
        is_partial = line.subtype == "status" and text_at(line.value, "status") == "requesting"
        return not is_partial or "include-partial-messages" in self.options


def playback_of(asked: Invocation, **settings: Any) -> Playback:
    """Returns the playback settings of a call."""
    return Playback(
        is_streaming=asked.is_streaming,
        asks=asked.is_streaming and asked.permission_prompt_tool == "stdio",
        replays="replay-user-messages" in asked.given,
        options=asked.given,
        **settings,
    )
