"""Redacts the streams and side files of a conversation: first everything is searched, then everything is replaced.

What was found in one place is replaced in all places. Only the strings in which something was found are written anew;
every other byte of a record stays as it was.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from chorus.core.records.record import Piece, Record, Unread
from chorus.core.redaction import images, literals
from chorus.core.redaction.choices import Choices
from chorus.core.redaction.deltas import FIELDS, Cut, Joined, divided, fragment_of
from chorus.core.redaction.doubtful import is_doubtful
from chorus.core.redaction.encodings import View, views
from chorus.core.redaction.findings import Finding, Findings, Spot
from chorus.core.redaction.known_values import KnownValues
from chorus.core.redaction.scanner import Scanner, Span, search_views, without_overlaps

_MIN_BYTES = 6
"""A string of JSON that is written in fewer bytes, with its quotes, holds nothing to hide."""
_MAX_REMEMBERED = 400
"""Texts up to this length are searched once: ids, paths and the like occur again and again."""
_MAX_HELD_BYTES = 64 << 20
"""So much of longer texts is kept between the two passes, so that their encodings are undone only once."""
_STRUCTURE = frozenset(
    {
        *("type", "subtype", "role", "uuid", "parentUuid", "sessionId", "session_id", "id", "tool_use_id", "name"),
        *("parent_tool_use_id", "timestamp", "model", "stop_reason", "version", "userType", "media_type", "messageId"),
        *("requestId", "promptId", "leafUuid", "agentId"),
    }
)
"""Fields that programs read. A user name in them is a coincidence; a secret is still replaced."""


class _Text(Struct):
    """A decoded string of JSON, with its views."""

    text: str
    behind: list[View]

    def texts(self) -> Iterator[str]:
        yield self.text
        for each in self.behind:
            yield from each.texts()


class Redactor:
    """Call `search` for everything, then `settle` once, then `replace` for everything."""

    def __init__(self, choices: Choices, scanner: Scanner | None = None) -> None:
        self.findings = Findings(choices)
        self._choices = choices
        self._scanner = scanner or Scanner()
        self._spans: dict[str, list[Span]] = {}
        """What rules found, by text; without texts in which they found nothing."""
        self._searched: dict[tuple[bytes, bytes], list[Span]] = {}
        """What rules found in short strings, by the key beside the string and the string, both as they are written."""
        self._held: dict[bytes, _Text] = {}
        """Longer strings, as they are written."""
        self._held_bytes = 0
        self._unchanged: set[tuple[bytes, bool]] = set()
        """Short strings, as they are written, in which nothing is replaced; and whether programs read them."""
        self._names: dict[bytes, str] = {b"": ""}
        """The keys of JSON, by how they are written."""
        self._all: dict[str, list[Span]] = {}
        """What rules and known values found, by text."""
        self._joined: dict[str, Joined] = {}
        self._cuts: dict[str, dict[int, list[Cut]]] = {}
        """What is replaced in fragments, by source and number of the record."""
        self._known = KnownValues(())

    def search(self, source: str, pieces: Iterable[Piece]) -> None:
        """Searches a stream."""
        if not self._choices.is_on:
            return
        joined = self._joined[source] = Joined()
        pieces = list(pieces)
        whole = self._scanner.narrowed("\n".join(_text(each.raw).lower() for each in pieces))
        for number, piece in enumerate(pieces, 1):
            spot = Spot(source, number, _uuid_of(piece))
            if not isinstance(piece, Record) or isinstance(piece, Unread):
                self._note(self._scan(_text(piece.raw)), spot)
                continue
            joined.add(number, piece)
            data = piece.json
            # JSON may write any character as an escape; then the keywords are not to be seen in it.
            is_plain = b"\\u00" not in data
            scanner = whole.narrowed(_text(data).lower()) if is_plain else self._scanner
            self._search_record(data, spot, scanner)
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
                    for span in self._in(whole, is_structure=False)
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
                new = self._replaced(text, spot, is_structure=False)
                yield piece, piece.raw if new == text else new.encode("utf-8", "surrogateescape")
                continue
            new_json = self._record(piece, spot, cuts.get(number, []))
            yield piece, piece.raw if new_json == piece.json else new_json

    def replace_text(self, source: str, text: str) -> str:
        """Returns a side file, redacted."""
        return self._replaced(text, Spot(source, 1), is_structure=False) if self._choices.is_on else text

    def _record(self, record: Record, spot: Spot, cuts: list[Cut]) -> bytes:
        data, fragment, key = record.json, fragment_of(record), b""
        pieces = literals.divided(data)
        is_changed = False
        for n in range(1, len(pieces), 3):
            raw, colon = pieces[n] or b"", pieces[n + 1]
            is_structure = colon is not None or self._name(key) in _STRUCTURE
            beside, key = key, raw if colon else key
            if (len(raw) < _MIN_BYTES and not cuts) or (raw, is_structure) in self._unchanged:
                continue
            is_fragment = fragment is not None and colon is None and self._name(beside) in FIELDS
            if cuts and is_fragment and (text := literals.decoded(raw)) == fragment:
                new = _applied(text, cuts)
            else:
                new = self._new_text(raw, spot, is_structure=is_structure)
            if new is not None:
                pieces[n] = literals.encoded(new)
                is_changed = True
        return b"".join([piece for piece in pieces if piece]) if is_changed else data

    def _name(self, key: bytes) -> str:
        known = self._names.get(key)
        if known is None:
            known = self._names[key] = literals.decoded(key)
        return known

    def _new_text(self, raw: bytes, spot: Spot, *, is_structure: bool) -> str | None:
        """Returns the text that replaces a string of JSON; None if it stays."""
        held = self._held.get(raw)
        if held is not None and held.text not in self._spans and not self._known.is_in(held.texts()):
            return None
        text = held.text if held else literals.decoded(raw)
        new = self._replaced(text, spot, is_structure=is_structure, behind=held.behind if held else None)
        if new != text:
            return new
        if len(raw) <= _MAX_REMEMBERED and not self._in(text, is_structure=is_structure):
            self._unchanged.add((raw, is_structure))
        return None

    def _replaced(self, text: str, spot: Spot, *, is_structure: bool, behind: list[View] | None = None) -> str:
        cuts = [
            Cut(span.start, span.end, shown)
            for span in self._in(text, is_structure=is_structure, behind=behind)
            if (shown := self._shown(span, spot)) is not None
        ]
        return _applied(text, cuts) if cuts else text

    def _in(self, text: str, *, is_structure: bool, behind: list[View] | None = None) -> list[Span]:
        found = self._all.get(text)
        if found is None:
            known = search_views(text, views(text) if behind is None else behind, self._known.find)
            found = without_overlaps((*self._spans.get(text, ()), *known))
            if len(text) <= _MAX_REMEMBERED:
                self._all[text] = found
        return [span for span in found if span.rule.kind == "secret"] if is_structure and found else found

    def _shown(self, span: Span, spot: Spot) -> str | None:
        """Counts a finding, and returns what replaces it; None if it stays."""
        finding = self.findings.add(span.rule, span.value, spot)
        return None if finding.is_allowed else finding.replacement

    def _search_record(self, data: bytes, spot: Spot, scanner: Scanner) -> None:
        key = b""
        for raw, colon in literals.strings(data):
            beside = b"" if colon else key
            if colon:
                key = raw
            if len(raw) < _MIN_BYTES:
                continue
            if len(raw) > images.MIN_CHARS and self._name(beside) in images.FIELDS:
                self._note_image(literals.decoded(raw), spot)
            found = self._searched.get((beside, raw))
            if found is None:
                found = self._scan_string(raw, self._name(beside), scanner)
                if found or len(raw) <= _MAX_REMEMBERED:
                    self._searched[beside, raw] = found
            if found:
                self._note(found, spot)

    def _scan_string(self, raw: bytes, key: str, scanner: Scanner) -> list[Span]:
        held = self._held.get(raw) or _Text(text := literals.decoded(raw), views(text))
        if len(raw) > _MAX_REMEMBERED and self._held_bytes + len(raw) <= _MAX_HELD_BYTES and raw not in self._held:
            self._held[raw] = held
            self._held_bytes += len(raw)
        return self._scan(held.text, key, scanner, held.behind)

    def _scan(
        self, text: str, key: str = "", scanner: Scanner | None = None, behind: list[View] | None = None
    ) -> list[Span]:
        found = (scanner or self._scanner).scan(text, key, behind)
        if found:
            self._spans.setdefault(text, found)
        return found

    def _note(self, spans: list[Span], spot: Spot) -> None:
        for span in spans:
            self.findings.add(span.rule, span.value, spot, 0)

    def _note_image(self, text: str, spot: Spot) -> None:
        what = images.image_of(text)
        if what is not None:
            self.findings.add(images.IMAGE, what, spot)

    @property
    def found(self) -> list[Finding]:
        """What was found and occurs, in the order of the rules of a person first, then secrets, then the rest."""
        order = {"named": 0, "secret": 1, "personal": 2, "image": 3}
        return sorted((each for each in self.findings if each.count), key=lambda each: order[each.rule.kind])


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
