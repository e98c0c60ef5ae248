"""What streams tell of a session's tokens and costs, in a form that can be merged in any order."""

from typing import Any

from msgspec import Struct, field

from chorus.core.conversation.tokens import Tokens
from chorus.core.records.session_ids import base_of
from chorus.core.spending.periods import quarter
from chorus.core.spending.reported_choice import COST_STATE, MESSAGES
from chorus.core.spending.rows import Reported, Usage, name_of

TOKENS = len(Tokens.__struct_fields__)
AT, MODEL, TIER, THREAD, HAS_ENDED, COST, IS_NAMELESS = range(TOKENS, TOKENS + 7)
Heard = list[Any]
"""What is known of a message: its tokens in the order of `Tokens`, then the parts above. A list: there are many."""


class Told(Struct):
    """One session, as some streams tell it."""

    messages: dict[str, Heard] = field(default_factory=dict)
    turns: list[Usage] = field(default_factory=list)
    """What turns used; counts where no message of the session tells."""
    has_models: bool = False
    """Whether turns tell it model by model."""
    turn_costs: list[Reported] = field(default_factory=list)
    """What turns cost."""
    state_usd: float | None = None
    """The last total that the session file states."""
    state_streams: set[str] = field(default_factory=set)
    """The streams that state such a total."""
    turn_streams: set[str] = field(default_factory=set)
    """The streams that hold ends of turns."""
    streams: set[str] = field(default_factory=set)
    place: tuple[int, str, str] = (9, "", "")
    """The folder it works in ("" unknown), behind what makes one stream's word on it better: the lowest holds."""
    started_at: str | None = None
    """As far as its streams were folded."""

    def merge(self, other: "Told") -> None:
        """Add what further streams tell; the order of merging makes no difference while nothing `needs_order`."""
        for name, heard in other.messages.items():
            known = self.messages.get(name)
            if known is None:
                self.messages[name] = heard
            else:
                raise_to(known, heard)
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
        """Whether it depends on how the records of its streams follow each other: then these are folded together."""
        return (bool(self.turn_streams) and len(self.streams) > 1) or len(self.state_streams) > 1

    def usage(self, name: str, message: str) -> Usage:
        """What one of its messages used, under the name of its conversation."""
        heard = self.messages[message]
        return Usage(
            message=name_of(name, message, is_id=not heard[IS_NAMELESS]),
            thread=heard[THREAD],
            at=heard[AT],
            model=heard[MODEL],
            tier=heard[TIER],
            tokens=Tokens(*heard[:TOKENS]),
            is_lower_bound=not heard[HAS_ENDED],
        )

    @property
    def counts_by_turns(self) -> bool:
        """Whether its turns tell what was used, and not its messages: see `conversation.model_usage`."""
        counted = [heard for heard in self.messages.values() if heard[0] >= 0]
        if not counted:
            return True
        if not self.has_models or any(heard[HAS_ENDED] for heard in counted):
            return False
        return all(
            sum(getattr(turn.tokens, name) for turn in self.turns) >= sum(heard[n] for heard in counted)
            for n, name in enumerate(Tokens.__struct_fields__[:4])
        )

    def reported(self, name: str) -> list[Reported]:
        """What the client reported of it, each figure with its source."""
        found = list(self.turn_costs)
        if self.state_usd is not None:
            times = [heard[AT] for heard in self.messages.values() if heard[0] >= 0 and heard[AT]]
            found.append(Reported(name, quarter(max(times, default=None)), self.state_usd, COST_STATE))
        found += [
            Reported(name, quarter(heard[AT]), heard[COST], MESSAGES)
            for heard in self.messages.values()
            if heard[COST] is not None
        ]
        return found


def unheard(*, is_nameless: bool) -> Heard:
    """A message of which nothing is known. Its first number is below 0 for as long as no line of it tells tokens."""
    return [-1, 0, 0, 0, 0, 0, 0, 0, None, None, None, None, False, None, is_nameless]


def raise_to(known: Heard, other: Heard) -> None:
    """Add to a message what other lines of it told."""
    for n in range(TOKENS):
        if other[n] > known[n]:
            known[n] = other[n]
    if other[AT] is not None and (known[AT] is None or other[AT] < known[AT]):
        known[AT] = other[AT]
    for n in (MODEL, TIER):
        # Copies that disagree: always the same one of the two, whichever was read first.
        if other[n] is not None and (known[n] is None or other[n] < known[n]):
            known[n] = other[n]
    if other[THREAD] is not None:
        spoke_in(known, other[THREAD])
    known[HAS_ENDED] = known[HAS_ENDED] or other[HAS_ENDED]
    if other[COST] is not None and (known[COST] is None or other[COST] > known[COST]):
        known[COST] = other[COST]


def spoke_in(known: Heard, thread: str) -> None:
    """A line of the message was found in a thread."""
    if known[THREAD] is None:
        known[THREAD] = thread
    elif known[THREAD] != thread:
        from chorus.core.spending.counting import rank

        known[THREAD] = min(known[THREAD], thread, key=rank)


def place_of(stream: str, session: str, cwd: str | None) -> tuple[int, str, str]:
    """Where a session works, by one stream: its folder, else the project's or the file's; its own file knows best."""
    base = base_of(stream)
    return (0 if base == session else 1) + (0 if cwd else 2), stream, cwd or ""
