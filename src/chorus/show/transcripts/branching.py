"""Which messages continue which, and which of them the conversation left: kept up to date message by message."""

from collections.abc import Collection, Iterable, Iterator

from chorus.show.transcripts.sketch import ABANDONED, MESSAGE, Sketch


class Branching:
    """The branches of a main thread. A change costs as much as there are messages whose fate it changes."""

    def __init__(self, sketches: dict[str, Sketch]) -> None:
        """`sketches` are those of the conversation by id; it is kept up to date by who owns it."""
        self._sketches = sketches
        self._strays: dict[str, tuple[str, ...]] = {}
        """Continuations of messages that are not known, by their id."""
        self.points: set[str] = set()
        """Messages with several continuations."""
        self.abandoned = 0

    def add(self, message: Sketch) -> list[str]:
        """Take in a message that is among the sketches now; gives the others whose fate it changed."""
        message.heads = self._strays.pop(message.id, message.heads)
        changed: list[str] = []
        if message.link is not None:
            self._set_heads(message.link, sorted((*self.heads(message.link), message.id), key=self._key))
            self._settle(message.link, changed)
        else:
            self._descend(message.id, False, changed)
        self._settle(message.id, changed)
        return [each for each in changed if each != message.id]

    def add_all(self, messages: Iterable[Sketch]) -> None:
        """Take in messages that are all among the sketches, in order, where none was known before."""
        sketches, several = self._sketches, dict[str, list[str]]()
        for message in messages:
            link = message.link
            if link is None:
                continue
            above = sketches.get(link)
            heads = self._strays.get(link, ()) if above is None else above.heads
            if above is not None:
                # One string for both, where there are many.
                message.link = above.id
            if not heads:
                self._set_heads(link, [message.id])
            else:
                several.setdefault(link, list(heads)).append(message.id)
        for link, heads in several.items():
            self._set_heads(link, heads)
        self.points = set(several)
        for at in several:
            for head in self.heads(at)[:-1]:
                self._descend(head, True, [])

    def remove(self, message: Sketch) -> list[str]:
        """Let go of a message that is still among the sketches; gives the others whose fate it changed."""
        changed: list[str] = []
        self._descend(message.id, False, changed)
        if message.link is not None:
            self._set_heads(message.link, [head for head in self.heads(message.link) if head != message.id])
            self._settle(message.link, changed)
        if message.heads:
            self._strays[message.id] = message.heads
        return [each for each in changed if each != message.id]

    def heads(self, message: str) -> tuple[str, ...]:
        """What continues a message, oldest first."""
        known = self._sketches.get(message)
        return known.heads if known is not None else self._strays.get(message, ())

    def continues(self, message: str) -> str | None:
        """The message that a head of a branch continues; None for one that is no head."""
        known = self._sketches.get(message)
        above = known.link if known is not None and known.kind == MESSAGE else None
        return above if above in self.points else None

    def is_abandoned(self, message: str) -> bool:
        known = self._sketches.get(message)
        return known is not None and bool(known.flags & ABANDONED)

    def leading_to(self, message: str) -> Iterator[str]:
        """The heads one has to choose to see a message, that one first which is nearest to it."""
        seen: set[str] = set()
        at: str | None = message
        while at is not None and at not in seen:
            seen.add(at)
            known = self._sketches.get(at)
            at_next = known.link if known is not None else None
            if at_next in self.points:
                yield at
            at = at_next

    def hidden(self, chosen: Iterable[str]) -> Collection[str]:
        """The messages that are not seen by who chose these heads, and at all other branches the one that goes on."""
        picked: dict[str, str] = {}
        for wanted in chosen:
            for head in self.leading_to(wanted):
                above = self._sketches[head].link
                if above is not None:
                    picked[above] = head
        left = [head for at in self.points for head in self.heads(at) if head != picked.get(at, self.heads(at)[-1])]
        found: set[str] = set()
        while left:
            head = left.pop()
            if head not in found:
                found.add(head)
                left.extend(self.heads(head))
        return found

    def _set_heads(self, message: str, heads: list[str]) -> None:
        known = self._sketches.get(message)
        if known is not None:
            known.heads = tuple(heads)
        elif heads:
            self._strays[message] = tuple(heads)
        else:
            self._strays.pop(message, None)
        if len(heads) > 1:
            self.points.add(message)
        else:
            self.points.discard(message)

    def _settle(self, message: str, changed: list[str]) -> None:
        """Set the fate of what continues a message."""
        heads = self.heads(message)
        is_left = self.is_abandoned(message)
        for head in heads:
            self._descend(head, is_left or head != heads[-1], changed)

    def _descend(self, message: str, is_left: bool, changed: list[str]) -> None:  # noqa: FBT001 - a value
        waiting = [(message, is_left)]
        while waiting:
            name, is_left = waiting.pop()
            known = self._sketches.get(name)
            if known is None or bool(known.flags & ABANDONED) == is_left:
                continue
            known.flags ^= ABANDONED
            self.abandoned += 1 if is_left else -1
            changed.append(name)
            heads = known.heads
            waiting.extend((head, is_left or head != heads[-1]) for head in heads)

    def _key(self, message: str) -> tuple[str, str]:
        return self._sketches[message].key
