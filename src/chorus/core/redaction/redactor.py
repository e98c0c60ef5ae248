"""Redacts the streams and side files of a conversation: first everything is searched, then everything is replaced.

What was found in one place is replaced in all places. Only the strings in which something was found are replaced;
every other byte of a record stays as it was.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from chorus.core.records.record import Piece, Record, Unread
from chorus.core.redaction import images, literals
from chorus.core.redaction.choices import Choices
from chorus.core.redaction.deltas import FIELDS, Cut, Joined, divided, fragment_of
from chorus.core.redaction.doubtful import is_doubtful
from chorus.core.redaction.encodings import View, views
from chorus.core.redaction.findings import Finding, Findings, Spot
from chorus.core.redaction.key_lines import KeyLines
from chorus.core.redaction.known_values import KnownValues
from chorus.core.redaction.rules.credentials import PRIVATE_KEY
from chorus.core.redaction.scanner import Scanner, Span, search_views, without_overlaps
from chorus.core.redaction.searched import MAX_SHORT, MIN_BYTES, SearchedStrings, Wanted

Use = Literal["content", "id", "word"]
_CONTENT: Use = "content"
_ID: Use = "id"
_WORD: Use = "word"
"""What a string of JSON is for: content, an id that programs compare, or a word of the format, as all keys are."""
_KINDS = frozenset((b"type", b"subtype", b"role", b"stop_reason", b"userType", b"media_type"))
"""Fields whose values are words of the format. Only secrets are replaced in them."""
_STRUCTURE = _KINDS | {
    *(b"uuid", b"parentUuid", b"sessionId", b"session_id", b"id", b"tool_use_id", b"parent_tool_use_id", b"timestamp"),
    *(b"model", b"version", b"messageId", b"requestId", b"promptId", b"leafUuid", b"agentId"),
}
"""Fields that programs read. A user name in them is a coincidence; a secret is still replaced."""
_PLAIN = re.compile(r"[\w.:+-]*")
"""What such a field contains. Anything else under its name is the content of a tool, with fields of the same name."""
_VALUES = (b"value", b"val", b"content", b"default")
"""Keys of the value, where a name and its value are a pair of fields."""
_MAX_NAME = 80
_MAX_DIVIDED_BYTES = 16 << 20
"""Of so many bytes of records, the pieces are remembered, which take about twice as much; others are divided twice."""


class _Outcome(Struct):
    """What becomes of a string of JSON."""

    new: bytes | None
    """What is written instead of it; None if it stays."""
    spans: list[Span]


class Redactor:
    """Call `search` for everything, then `settle` once, then `replace` for everything."""

    def __init__(self, choices: Choices, scanner: Scanner | None = None) -> None:
        self.findings = Findings(choices)
        self._choices = choices
        self._scanner = scanner or Scanner()
        self._strings = SearchedStrings(self._scanner)
        self._spans: dict[str, list[Span]] = {}
        """What rules found, by text; without texts in which they found nothing."""
        self._beside: dict[tuple[str, bytes], list[Span]] = {}
        """What was found in strings because of the keys beside them."""
        self._changing = Wanted()
        """Which strings are replaced, wherever they are."""
        self._outcomes: dict[tuple[bytes, Use], _Outcome] = {}
        """What became of short strings, by their use."""
        self._divided: dict[tuple[str, int], tuple[bytes, list[bytes]]] = {}
        """Records that were searched, with their pieces, by source and number: replacing needs them again."""
        self._divided_bytes = 0
        self._joined: dict[str, Joined] = {}
        self._cuts: dict[str, dict[int, list[Cut]]] = {}
        """What is replaced in fragments, by source and number of the record."""
        self._known = KnownValues(())

    def search(self, source: str, pieces: Iterable[Piece]) -> None:
        """Searches a stream."""
        if not self._choices.is_on:
            return
        joined = self._joined[source] = Joined()
        keys = KeyLines()
        for number, piece in enumerate(pieces, 1):
            spot = Spot(source, number, _uuid_of(piece))
            if not isinstance(piece, Record) or isinstance(piece, Unread):
                self._note(self._scan(_text(piece.raw)), spot)
                continue
            joined.add(number, piece)
            self._search_record(piece.json, spot)
            if keys.wants(piece.json):
                for string in literals.divided(piece.json)[1::2]:
                    self._note_keys(keys.feed(literals.decoded(string)), spot)
        self._note_keys(keys.close(), Spot(source, 1))
        for fragments in joined.texts():
            text = "".join(each.text for each in fragments)
            self._note(self._scan(text), Spot(source, fragments[0].number))

    def search_text(self, source: str, text: str) -> None:
        """Searches a side file."""
        if self._choices.is_on:
            self._note(self._scan(text), Spot(source, 1))

    def settle(self) -> None:
        """Ends the search: from now on every known value is replaced wherever it occurs."""
        if not self._choices.is_on:
            return
        for rule, value in self._choices.named():
            if rule.kind == "named" or not is_doubtful(rule, value):
                self.findings.add(rule, value, Spot("", 0), 0)
        self._known = KnownValues(self.findings)
        for source, joined in self._joined.items():
            cuts = self._cuts[source] = {}
            for fragments in joined.texts():
                whole = "".join(each.text for each in fragments)
                spot = Spot(source, fragments[0].number)
                spans = [
                    Cut(span.start, span.end, shown)
                    for span in self._in(whole)
                    if (shown := self._shown(span, spot)) is not None
                ]
                cuts |= divided(fragments, spans)

    def replace(self, source: str, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, bytes]]:
        """Yields each piece of a stream with its redacted bytes, without its tail."""
        cuts = self._cuts.get(source, {})
        for number, piece in enumerate(pieces, 1):
            if not self._choices.is_on:
                yield piece, piece.raw
                continue
            spot = Spot(source, number, _uuid_of(piece))
            if not isinstance(piece, Record) or isinstance(piece, Unread):
                text = _text(piece.raw)
                new = self._replaced(text, spot)
                yield piece, piece.raw if new == text else new.encode("utf-8", "surrogateescape")
                continue
            new_json = self._record(piece, spot, cuts.get(number, []))
            yield piece, piece.raw if new_json == piece.json else new_json

    def replace_text(self, source: str, text: str) -> str:
        """Returns a side file, redacted."""
        return self._replaced(text, Spot(source, 1)) if self._choices.is_on else text

    def _record(self, record: Record, spot: Spot, cuts: list[Cut]) -> bytes:
        data = record.json
        searched, pieces = self._divided.pop((spot.source, spot.number), (b"", []))
        if searched != data:
            pieces = literals.divided(data)
        strings = pieces[1::2]
        fragment = fragment_of(record) if cuts else None
        afters = pieces[2::2]
        key, at = b"", 0
        is_changed = False
        for place in range(len(strings)) if cuts else self._changing.places(strings):
            string = strings[place]
            before = place - 1
            while before >= at and not literals.is_key(afters[before]):
                before -= 1
            if before >= at:
                key = strings[before]
            at = place
            is_key = literals.is_key(afters[place])
            is_fragment = fragment is not None and not is_key and literals.decoded(key) in FIELDS
            if is_fragment and (text := literals.decoded(string)) == fragment:
                new: bytes | None = literals.encoded(_applied(text, cuts))
            else:
                new = self._new(string, spot, _WORD if is_key else _use_of(key))
            if new is not None:
                pieces[2 * place + 1] = new
                is_changed = True
        return literals.joined(pieces) if is_changed else data

    def _new(self, string: bytes, spot: Spot, use: Use) -> bytes | None:
        """Counts what is found in a string of JSON, and returns the string that replaces it; None if it stays."""
        outcome = self._outcomes.get((string, use)) or self._outcome(string, use)
        for span in outcome.spans:
            self.findings.add(span.rule, span.value, spot)
        return outcome.new

    def _outcome(self, string: bytes, use: Use) -> _Outcome:
        if len(string) < MIN_BYTES:
            self._changing[string] = False
            return _Outcome(None, [])
        read = self._strings.of(string)
        found = self._in(read.text, read.behind)
        if not found and self._strings.is_remembered(string):
            self._changing[string] = False
        spans = found if use is _CONTENT else _in_structure(found, read.text, use)
        new = self._applied_to(read.text, spans)
        outcome = _Outcome(None if new == read.text else literals.encoded(new), spans)
        if len(string) <= MAX_SHORT:
            self._outcomes[string, use] = outcome
        return outcome

    def _replaced(self, text: str, spot: Spot) -> str:
        spans = self._in(text)
        for span in spans:
            self._shown(span, spot)
        return self._applied_to(text, spans)

    def _applied_to(self, text: str, spans: list[Span]) -> str:
        """Returns a text with findings replaced that were noted before."""
        cuts = [
            Cut(span.start, span.end, finding.replacement)
            for span in spans
            if (finding := self.findings.of(span.rule, span.value)) is not None and not finding.is_allowed
        ]
        return _applied(text, cuts) if cuts else text

    def _in(self, text: str, behind: list[View] | None = None) -> list[Span]:
        known = search_views(text, views(text) if behind is None else behind, self._known.find)
        return without_overlaps((*self._spans.get(text, ()), *known))

    def _shown(self, span: Span, spot: Spot) -> str | None:
        """Counts a finding, and returns what replaces it; None if it stays."""
        finding = self.findings.add(span.rule, span.value, spot)
        return None if finding.is_allowed else finding.replacement

    def _search_record(self, data: bytes, spot: Spot) -> None:
        pieces = literals.divided(data)
        if self._divided_bytes + len(data) <= _MAX_DIVIDED_BYTES:
            self._divided_bytes += len(data)
            self._divided[spot.source, spot.number] = data, pieces
        strings = pieces[1::2]
        for place, each in self._strings.of_record(strings):
            if each.found:
                self._spans.setdefault(each.text, each.found)
                self._note(each.found, spot)
            if not each.is_name:
                continue
            if not literals.is_key(pieces[2 * place + 2]):
                self._search_next(each.text, place, pieces, spot)
                continue
            for value in range(place + 1, len(strings)):
                if literals.is_key(pieces[2 * value + 2]):
                    break
                if len(strings[value]) >= MIN_BYTES:
                    self._search_value(each.text, strings[value], spot)

    def _search_next(self, name: str, place: int, pieces: list[bytes], spot: Spot) -> None:
        """Searches the string after one that is no key: the argument after an option, or the value of a named pair."""
        strings = pieces[1::2]
        after = pieces[2 * place + 2].strip()
        if after != b"," or place + 1 >= len(strings) or len(name) > _MAX_NAME:
            return
        if literals.is_key(pieces[2 * place + 4]):
            is_pair = strings[place + 1].lower() in _VALUES and place + 2 < len(strings)
            if is_pair and not literals.is_key(pieces[2 * place + 6]):
                self._search_value(name, strings[place + 2], spot)
        elif name.startswith("-"):
            self._search_value(name, strings[place + 1], spot, is_option=True)

    def _search_value(self, name: str, string: bytes, spot: Spot, *, is_option: bool = False) -> None:
        """Searches a string together with the key beside it."""
        read = self._strings.of(string)
        if name in images.FIELDS:
            self._note_image(read.text, spot)
        if read.found:
            return
        found = self._beside.get((name, string))
        if found is None:
            found = (self._scanner.scan_after if is_option else self._scanner.scan_beside)(read.text, name)
            if found or len(string) <= MAX_SHORT:
                self._beside[name, string] = found
        if found:
            self._spans.setdefault(read.text, found)
            self._note(found, spot)

    def _scan(self, text: str) -> list[Span]:
        found = self._scanner.scan(text)
        if found:
            self._spans.setdefault(text, found)
        return found

    def _note(self, spans: list[Span], spot: Spot) -> None:
        for span in spans:
            self.findings.add(span.rule, span.value, spot, 0)

    def _note_keys(self, keys: Iterable[str], spot: Spot) -> None:
        for key in keys:
            self.findings.add(PRIVATE_KEY, key, spot, 0)

    def _note_image(self, text: str, spot: Spot) -> None:
        what = images.image_of(text)
        if what is not None:
            self.findings.add(images.IMAGE, what, spot)

    @property
    def found(self) -> list[Finding]:
        """What was found and occurs, in the order of the rules of a person first, then secrets, then the rest."""
        order = {"named": 0, "secret": 1, "personal": 2, "image": 3}
        return sorted((each for each in self.findings if each.count), key=lambda each: order[each.rule.kind])


def _use_of(key: bytes) -> Use:
    name = key if b"\\" not in key else literals.decoded(key).encode("utf-8", "replace")
    return _WORD if name in _KINDS else _ID if name in _STRUCTURE else _CONTENT


def _in_structure(spans: list[Span], text: str, use: Use) -> list[Span]:
    if _PLAIN.fullmatch(text) is None:
        return spans
    return [span for span in spans if span.rule.kind == "secret" or (use is _ID and span.rule.kind == "named")]


def _applied(text: str, cuts: Iterable[Cut]) -> str:
    parts: list[str] = []
    at = 0
    for cut in sorted(cuts, key=lambda each: each.start):
        parts.extend((text[at : cut.start], cut.shown))
        at = cut.end
    return "".join((*parts, text[at:])) if parts else text


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _uuid_of(piece: Piece) -> str:
    uuid = getattr(piece.value, "uuid", None) if isinstance(piece, Record) else None
    return uuid if isinstance(uuid, str) else ""
