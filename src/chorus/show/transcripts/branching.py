"""Tracks which message continues which, and which messages are on abandoned branches, message by message."""

from collections.abc import Collection, Iterable, Iterator

from chorus.show.transcripts.sketch import ABANDONED, MESSAGE, Sketch


class Branching:
    """The branches of a main thread. The cost of a change is linear in the number of messages that it changes."""

    def __init__(self, sketches: dict[str, Sketch]) -> None:
        """`sketches` are the entries of the conversation by id. The owner of the dict keeps it up to date."""
        self._sketches = sketches
        self._heads_of_unknown: dict[str, tuple[str, ...]] = {}
        """Maps unknown messages to the messages that continue them."""
        self.points: set[str] = set()
        """Messages that several messages continue."""
        self.abandoned = 0

    def add(self, message: Sketch) -> list[str]:
        """Adds a message that is in the sketches; returns the others that became abandoned or active by it."""
        message.heads = self._heads_of_unknown.pop(message.id, message.heads)
        changed: list[str] = []
        if message.link is not None:
            self._set_heads(message.link, sorted((*self.heads(message.link), message.id), key=self._key))
            self._update_heads(message.link, changed)
        else:
            self._set_abandoned(message.id, False, changed)
        self._update_heads(message.id, changed)
        return [each for each in changed if each != message.id]

    def add_all(self, messages: Iterable[Sketch]) -> None:
        """Adds messages that are all in the sketches, in order. No message may have been added before."""
        sketches, several = self._sketches, dict[str, list[str]]()
        for message in messages:
            link = message.link
            if link is None:
                continue
            above = sketches.get(link)
            heads = self._heads_of_unknown.get(link, ()) if above is None else above.heads
            if above is not None:
                # Shares one string object for both, because there may be many.
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
                self._set_abandoned(head, True, [])

    def remove(self, message: Sketch) -> list[str]:
        """Removes a message that is still in the sketches; returns the others that became abandoned or active by it."""
        changed: list[str] = []
        self._set_abandoned(message.id, False, changed)
        if message.link is not None:
            self._set_heads(message.link, [head for head in self.heads(message.link) if head != message.id])
            self._update_heads(message.link, changed)
        if message.heads:
            self._heads_of_unknown[message.id] = message.heads
        return [each for each in changed if each != message.id]

    def heads(self, message: str) -> tuple[str, ...]:
        """Returns the messages that continue a message, oldest first."""
        known = self._sketches.get(message)
        return known.heads if known is not None else self._heads_of_unknown.get(message, ())

    def continues(self, message: str) -> str | None:
        """Returns the message that the first message of a branch continues; None for any other message."""
        known = self._sketches.get(message)
        above = known.link if known is not None and known.kind == MESSAGE else None
        return above if above in self.points else None

    def is_abandoned(self, message: str) -> bool:
        known = self._sketches.get(message)
        return known is not None and bool(known.flags & ABANDONED)

    def leading_to(self, message: str) -> Iterator[str]:
        """Yields the branches that must be selected to see a message, the nearest one first."""
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
        """Returns the hidden messages if these branches are selected, and the active branch everywhere else."""
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
            self._heads_of_unknown[message] = tuple(heads)
        else:
            self._heads_of_unknown.pop(message, None)
        if len(heads) > 1:
            self.points.add(message)
        else:
            self.points.discard(message)

    def _update_heads(self, message: str, changed: list[str]) -> None:
        """Updates whether the continuations of a message are abandoned."""
        heads = self.heads(message)
        is_abandoned = self.is_abandoned(message)
        for head in heads:
            self._set_abandoned(head, is_abandoned or head != heads[-1], changed)

    def _set_abandoned(self, message: str, is_abandoned: bool, changed: list[str]) -> None:  # noqa: FBT001 - a value
        waiting = [(message, is_abandoned)]
        while waiting:
            name, is_abandoned = waiting.pop()
            known = self._sketches.get(name)
            if known is None or bool(known.flags & ABANDONED) == is_abandoned:
                continue
            known.flags ^= ABANDONED
            self.abandoned += 1 if is_abandoned else -1
            changed.append(name)
            heads = known.heads
            waiting.extend((head, is_abandoned or head != heads[-1]) for head in heads)

    def _key(self, message: str) -> tuple[str, str]:
        return self._sketches[message].key
