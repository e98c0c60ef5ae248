"""Which stream of a conversation wins when streams disagree: its origin decides, never its content."""

from msgspec import Struct, field, structs

CAPTURED, OWN_PLACE, SESSION_FILE, ELSEWHERE = range(4)
"""Origins: captured by Chorus from the client itself; the client's own file in its own folder; a session file in
another folder; anything else (logs, pipes). The lowest number wins.
"""
Rank = tuple[int, bool, bool, int, int, str]


class StreamAuthority(Struct, frozen=True):
    """The authority of one stream."""

    origin: int
    number: int = 0
    """Position among the streams of the conversation, in the order in which they were stored."""
    agent: str | None = None
    """The sub-agent whose file it is. The stream has authority for the thread of this sub-agent only."""
    is_astray: bool = False
    """Whether its file is in the folder of another project than the one that it names."""
    path: str = ""
    """Where it came from, to show to people."""
    is_foreign: bool = False
    """Whether the conversation has streams of a better origin. Then this one only adds marked rows."""
    may_add: bool = False
    """For a foreign stream: whether it contradicts no other stream, so that it may add records that others lack."""


_UNKNOWN = StreamAuthority(OWN_PLACE, number=1 << 30)


class StreamAuthorities(Struct):
    """The authority of each stream of one conversation, by stream name without revision."""

    by_stream: dict[str, StreamAuthority] = field(default_factory=dict)
    is_comparing: bool = False
    """Whether the records of streams are compared. This is needed only if two streams may contain the same record."""
    has_main: bool = False
    """Whether the conversation has a stream other than those of sub-agents."""

    def of(self, stream: str) -> StreamAuthority:
        return self.by_stream.get(stream.partition("#")[0], _UNKNOWN)

    def rank(self, stream: str) -> Rank:
        """Returns the sort key of a stream. When streams disagree, the lower one wins; earlier revisions are lower."""
        name, _, revision = stream.partition("#")
        found = self.by_stream.get(name, _UNKNOWN)
        number = int(revision) if revision.isdecimal() else 0
        return found.origin, found.is_astray, found.agent is not None, found.number, number, name

    def can_continue_as(self, found: "StreamAuthorities") -> bool:
        """Returns whether a fold that used these authorities can continue with the authorities `found`."""
        if any(each.may_add for each in self.by_stream.values()) or (found.is_comparing and not self.is_comparing):
            return False
        if self.by_stream and found.has_main != self.has_main:
            # Alone, files of sub-agents describe the session; beside other streams they do not.
            return False
        return all(found.by_stream.get(name) == each for name, each in self.by_stream.items())

    def allowing(self, streams: set[str]) -> "StreamAuthorities":
        """Returns a copy in which these foreign streams may add records."""
        changed = {name: structs.replace(self.by_stream[name], may_add=True) for name in streams}
        return structs.replace(self, by_stream=self.by_stream | changed, is_comparing=True)


def authorities_of(streams: dict[str, StreamAuthority]) -> StreamAuthorities:
    """Returns the authorities of a conversation's streams. Whether a stream is foreign depends on the others.

    Files of sub-agents do not make the session file foreign. If a session file has several copies, the one with the
    lowest rank is the session's own file.
    """
    own = [name for name, each in streams.items() if each.agent is None]
    table = StreamAuthorities(dict(streams), has_main=bool(own))
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
