"""How much a stream's word counts in its conversation: by where Chorus got it, never by what stands in it."""

from msgspec import Struct, field, structs

CAPTURED, OWN_PLACE, SESSION_FILE, ELSEWHERE = range(4)
"""Origins: read by Chorus from the client itself; the client's own file at the client's own place; a session's file at
another place; anything else (logs, pipes). The lower one decides.
"""
Rank = tuple[int, bool, bool, int, int, str]


class Standing(Struct, frozen=True):
    """What is known of one stream."""

    origin: int
    number: int = 0
    """Which of the conversation's streams it was to be kept, counted from the first."""
    agent: str | None = None
    """The sub-agent whose file it is: it has a say about no other thread."""
    is_astray: bool = False
    """Whether it lies in the folder of another project than the one that it names."""
    path: str = ""
    """Where it came from, for people."""
    is_foreign: bool = False
    """Whether streams of a better origin are there: then this one only adds rows that are marked."""
    is_heard: bool = False
    """Of a foreign one: whether it says nothing else than they do, so that it may add what they do not hold."""


_UNKNOWN = Standing(OWN_PLACE, number=1 << 30)


class Standings(Struct):
    """The streams of one conversation by their names, without their revisions."""

    by_stream: dict[str, Standing] = field(default_factory=dict)
    is_comparing: bool = False
    """Whether records are compared with those of other streams: only where two streams may hold the same one."""

    def of(self, stream: str) -> Standing:
        return self.by_stream.get(stream.partition("#")[0], _UNKNOWN)

    def rank(self, stream: str) -> Rank:
        """Of two streams that disagree, the one with the lower rank is believed; earlier revisions before later."""
        name, _, revision = stream.partition("#")
        found = self.by_stream.get(name, _UNKNOWN)
        number = int(revision) if revision.isdecimal() else 0
        return found.origin, found.is_astray, found.agent is not None, found.number, number, name

    @property
    def has_main(self) -> bool:
        """Whether there is a stream that is no sub-agent's."""
        return any(each.agent is None for each in self.by_stream.values())

    def goes_on_as(self, found: "Standings") -> bool:
        """Whether what was read with these standings can be gone on with now that they are those found."""
        if any(each.is_heard for each in self.by_stream.values()) or (found.is_comparing and not self.is_comparing):
            return False
        return all(found.by_stream.get(name) == each for name, each in self.by_stream.items())

    def with_heard(self, streams: set[str]) -> "Standings":
        """The same, with these foreign streams heard."""
        changed = {name: structs.replace(self.by_stream[name], is_heard=True) for name in streams}
        return Standings(self.by_stream | changed, is_comparing=True)


def standings_of(streams: dict[str, Standing]) -> Standings:
    """The standings of a conversation's streams: which of them are foreign depends on the others.

    The files of sub-agents do not make their session's own file foreign; of several copies of a session's file the
    first in rank is the session's.
    """
    table = Standings(dict(streams))
    own = [name for name, each in streams.items() if each.agent is None]
    best = min((streams[name].origin for name in own), default=OWN_PLACE)
    files = [name for name in own if streams[name].origin in (OWN_PLACE, SESSION_FILE)]
    main = min(files, key=table.rank, default=None)
    least = max(best, OWN_PLACE)
    for name, each in streams.items():
        is_copy = each.agent is None and name in files and name != main
        if each.origin > least or is_copy:
            table.by_stream[name] = structs.replace(each, is_foreign=True)
    table.is_comparing = len(streams) > 1 and any(
        each.is_foreign or (each.agent is None and name != main) for name, each in table.by_stream.items()
    )
    return table
