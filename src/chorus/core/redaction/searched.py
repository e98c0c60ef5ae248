"""The strings of JSON texts, each decoded and searched once: ids, paths and outputs occur again and again."""

from collections.abc import Iterable, Iterator
from itertools import compress

from msgspec import Struct

from chorus.core.redaction import images, literals
from chorus.core.redaction.encodings import View, views
from chorus.core.redaction.scanner import USER, Scanner, Span

MIN_BYTES = 4
"""A string of fewer bytes holds nothing to hide."""
MAX_SHORT = 400
"""Strings up to this length are searched together, and what became of them is always remembered."""
_MAX_HELD_BYTES = 64 << 20
"""This much is remembered of all strings together; the others are read again where they occur again."""
_OVERHEAD_BYTES = 200


class Searched(Struct):
    """A string of JSON: its text, what lies behind the encodings in it, and what rules found in it."""

    text: str
    behind: list[View]
    found: list[Span]
    is_name: bool
    """Whether a value beside this key is looked at together with it."""


class Wanted(dict[bytes, bool]):
    """Says which strings need a look. One that nobody noted needs one."""

    def __missing__(self, string: bytes) -> bool:
        return True

    def places(self, strings: list[bytes]) -> Iterable[int]:
        """Returns the places of the strings that need a look. Most strings of a session need none."""
        return compress(range(len(strings)), map(self.__getitem__, strings))


class SearchedStrings:
    """Reads and searches strings, and remembers them."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._held: dict[bytes, Searched] = {}
        self._held_bytes = 0
        self._wanted = Wanted()

    def of_record(self, strings: list[bytes]) -> Iterator[tuple[int, Searched]]:
        """Yields the strings in which something was found, and the keys that may name a secret, with their places."""
        places = list(self._wanted.places(strings))
        read = self._read(strings[place] for place in places)
        for place in places:
            each = read[strings[place]]
            if each.found or each.is_name:
                yield place, each

    def of(self, string: bytes) -> Searched:
        """Returns one string."""
        return self._held.get(string) or self._read((string,))[string]

    def is_remembered(self, string: bytes) -> bool:
        """Returns whether something may be noted about this string."""
        return len(string) <= MAX_SHORT or string in self._held

    def _read(self, strings: Iterable[bytes]) -> dict[bytes, Searched]:
        read: dict[bytes, Searched] = {}
        fresh: list[tuple[bytes, Searched]] = []
        for string in dict.fromkeys(strings):
            held = self._held.get(string)
            if held is None:
                text = literals.decoded(string)
                is_name = text in images.FIELDS or text in USER or self._scanner.may_name_a_secret(text)
                held = Searched(text, views(text), [], is_name)
                fresh.append((string, held))
            read[string] = held
        # For many small texts it is cheaper to look for the keywords in all of them at once.
        short = "\n".join(each.text for string, each in fresh if len(string) <= MAX_SHORT)
        narrowed = self._scanner.narrowed(short)
        for string, each in fresh:
            if len(string) >= MIN_BYTES:
                scanner = narrowed if len(string) <= MAX_SHORT else self._scanner
                each.found = scanner.scan(each.text, behind=each.behind)
            self._remember(string, each)
        return read

    def _remember(self, string: bytes, searched: Searched) -> None:
        size = len(string) + _OVERHEAD_BYTES
        if self._held_bytes + size <= _MAX_HELD_BYTES:
            self._held[string] = searched
            self._held_bytes += size
        if self.is_remembered(string):
            self._wanted[string] = bool(searched.found) or searched.is_name
