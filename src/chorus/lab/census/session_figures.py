"""The tokens and costs of a session according to some streams, in a form that can be merged in any order."""

from typing import Any
from zlib import crc32

from msgspec import Struct, field

from chorus.core.conversation.tokens import Tokens
from chorus.core.records.session_ids import base_of, id_in
from chorus.core.spending.periods import quarter
from chorus.core.spending.reported_choice import COST_STATE, MESSAGES
from chorus.core.spending.rows import IMPOSSIBLE, Reported, Usage, name_of

TOKENS = len(Tokens.__struct_fields__)
AT, MODEL, TIER, THREAD, HAS_ENDED, COST, IS_NAMELESS = range(TOKENS, TOKENS + 7)
MessageFigures = list[Any]
"""The figures of a message: its tokens in the order of `Tokens`, then the values above. A list saves memory.
"""


class SessionFigures(Struct):
    """The figures of one session according to some streams."""

    messages: dict[str, MessageFigures] = field(default_factory=dict)
    turns: list[Usage] = field(default_factory=list)
    """What turns used; counts if no message of the session reports usage."""
    has_models: bool = False
    """Whether turns report usage per model."""
    turn_costs: list[Reported] = field(default_factory=list)
    """The costs of turns."""
    state_usd: float | None = None
    """The last total that the session file states."""
    state_streams: set[str] = field(default_factory=set)
    """The streams that state such a total."""
    turn_streams: set[str] = field(default_factory=set)
    """The streams that contain ends of turns."""
    streams: set[str] = field(default_factory=set)
    place: tuple[int, str, str] = (9, "", "")
    """Its working folder ("" if unknown), after a rank and the stream: the lowest value wins."""
    is_contested: bool = False
    """Whether streams disagree about a message, or whether several streams besides those of sub-agents have others."""
    started_at: str | None = None
    """Known only if its streams were folded."""

    def merge(self, other: "SessionFigures") -> None:
        """Adds the figures of further streams; the order makes no difference unless `needs_order` is true."""
        if other.is_contested or (_has_main(other) and _has_main(self) and self.messages != other.messages):
            self.is_contested = True
        for name, figures in other.messages.items():
            known = self.messages.get(name)
            if known is None:
                self.messages[name] = figures
            elif known != figures:
                self.is_contested = True
                add_figures(known, figures)
        self.turns += other.turns
        self.has_models = self.has_models or other.has_models
        self.turn_costs += other.turn_costs
        self.state_usd = other.state_usd if self.state_usd is None else self.state_usd
        self.state_streams |= other.state_streams
        self.turn_streams |= other.turn_streams
        self.streams |= other.streams
        self.place = min(self.place, other.place)
        self.started_at = min(filter(None, (self.started_at, other.started_at)), default=None)

    @property
    def needs_order(self) -> bool:
        """Whether the figures depend on the order of records across its streams: then these are folded together."""
        if len(self.streams) < 2:
            return False
        is_contested = self.is_contested and any(map(id_in, self.streams))
        states_by_agent = any(map(_is_of_agent, self.state_streams))
        return bool(self.turn_streams) or len(self.state_streams) > 1 or is_contested or states_by_agent

    def usage(self, name: str, message: str) -> Usage:
        """Returns what one of its messages used; `name` is the name of its conversation."""
        figures = self.messages[message]
        return Usage(
            message=name_of(name, message, is_id=not figures[IS_NAMELESS]),
            thread=figures[THREAD],
            at=figures[AT],
            model=figures[MODEL],
            tier=figures[TIER],
            tokens=Tokens(*figures[:TOKENS]),
            is_lower_bound=not figures[HAS_ENDED],
            # The words are not read. A copy of a message has its time and its model.
            start_digest=crc32(f"{figures[AT]}\0{figures[MODEL]}".encode("utf-8", "replace")),
        )

    @property
    def counts_by_turns(self) -> bool:
        """Whether its turns report the usage, and not its messages: see `core.conversation.model_usage`."""
        counted = [figures for figures in self.messages.values() if figures[0] >= 0 and figures[TIER] != IMPOSSIBLE]
        if not counted:
            # Without turns, the messages say why nothing is counted.
            return bool(self.turns)
        if not self.has_models or any(figures[HAS_ENDED] for figures in counted):
            return False
        return all(
            sum(getattr(turn.tokens, name) for turn in self.turns) >= sum(figures[n] for figures in counted)
            for n, name in enumerate(Tokens.__struct_fields__[:4])
        )

    def reported(self, name: str) -> list[Reported]:
        """Returns the costs that the client reported, each with its source."""
        found = list(self.turn_costs)
        if self.state_usd is not None:
            times = [figures[AT] for figures in self.messages.values() if figures[0] >= 0 and figures[AT]]
            found.append(Reported(name, quarter(max(times, default=None)), self.state_usd, COST_STATE))
        found += [
            Reported(name, quarter(figures[AT]), figures[COST], MESSAGES)
            for figures in self.messages.values()
            if figures[COST] is not None
        ]
        return found


def _has_main(figures: SessionFigures) -> bool:
    """Returns whether the figures are not only those of sub-agents' files."""
    return not all(map(_is_of_agent, figures.streams))


def _is_of_agent(stream: str) -> bool:
    return base_of(stream).startswith("agent-")


def empty_figures(*, is_nameless: bool) -> MessageFigures:
    """Returns the figures of an unknown message. The first number is negative until one of its lines reports tokens."""
    return [-1, 0, 0, 0, 0, 0, 0, 0, None, None, None, None, False, None, is_nameless]


def add_figures(known: MessageFigures, other: MessageFigures) -> None:
    """Adds the figures of other lines of the same message. Impossible figures give way to possible ones."""
    if known[0] >= 0 and other[0] >= 0 and (known[TIER] == IMPOSSIBLE) != (other[TIER] == IMPOSSIBLE):
        possible = other if known[TIER] == IMPOSSIBLE else known
        known[TIER] = other[TIER] = possible[TIER]
        known[HAS_ENDED] = other[HAS_ENDED] = possible[HAS_ENDED]
    for n in range(TOKENS):
        if other[n] > known[n]:
            known[n] = other[n]
    if other[AT] is not None and (known[AT] is None or other[AT] < known[AT]):
        known[AT] = other[AT]
    for n in (MODEL, TIER):
        # If copies differ, the same one of the two is chosen, whichever was read first.
        if other[n] is not None and (known[n] is None or other[n] < known[n]):
            known[n] = other[n]
    if other[THREAD] is not None:
        add_thread(known, other[THREAD])
    known[HAS_ENDED] = known[HAS_ENDED] or other[HAS_ENDED]
    if other[COST] is not None and (known[COST] is None or other[COST] > known[COST]):
        known[COST] = other[COST]


def add_thread(known: MessageFigures, thread: str) -> None:
    """Records that a line of the message is in a thread."""
    if known[THREAD] is None:
        known[THREAD] = thread
    elif known[THREAD] != thread:
        from chorus.core.spending.counting import rank

        known[THREAD] = min(known[THREAD], thread, key=rank)


def place_of(stream: str, session: str, cwd: str | None) -> tuple[int, str, str]:
    """Returns the working folder of a session according to one stream, with a rank: its own file is best."""
    base = base_of(stream)
    return (0 if base == session else 1) + (0 if cwd else 2), stream, cwd or ""
