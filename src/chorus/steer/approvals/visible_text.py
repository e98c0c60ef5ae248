"""Makes every hidden or active character of a text visible before a person decides on it. Pure.

It is stricter than what transcripts are shown with: there a reader may miss an invisible character, here it may be the
attack.
"""

import re
import unicodedata

_BLANKS = re.compile(" {9,}")
_EMPTY_LINES = re.compile(r"\n(?: {0,8}\n){8,}")
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_LOOK_EMPTY = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    chr(code) for code in (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
"""Letters and marks that are drawn as nothing."""
_MAX_DRAWN = 40
_MAX_KNOWN = 10_000
_SHORT = {"\t": "\\t", "\r": "\\r", "\x1b": "\\e"}


class _Visible(dict[int, str]):
    """Maps each character to what is shown for it; filled on demand."""

    def __missing__(self, code: int) -> str:
        shown = _shown(chr(code))
        if len(self) < _MAX_KNOWN:
            self[code] = shown
        return shown


def make_visible(text: str) -> str:
    """Returns `text` with every active, hidden or empty-looking character as an escape, and long runs of blanks
    counted.

    Line feeds stay. Takes time linear in the text. An escape in the result may also have been typed as such: the reader
    sees both.
    """
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_visible)
    return _EMPTY_LINES.sub(_marked_lines, _BLANKS.sub(_marked_blanks, text))


def make_visible_line(text: str) -> str:
    """Returns the same on one line, so that no text can look like a separate line."""
    return make_visible(text).replace("\n", "\\n")


def has_hidden_text(text: str) -> bool:
    """Returns whether anything except tabs, line feeds and indentation had to be made visible."""
    plain = text.replace("\t", "").replace("\r\n", "\n")
    if not (plain.isascii() and plain.isprintable()) and plain.translate(_visible) != plain:
        return True
    return any(_BLANKS.search(line.strip(" ")) or line.endswith(" " * 9) for line in text.split("\n"))


def _shown(char: str) -> str:
    if char in "\n ":
        return char
    if char in _SHORT:
        return _SHORT[char]
    if unicodedata.category(char) in _HIDDEN or char in _LOOK_EMPTY:
        return f"\\u{{{ord(char):x}}}"
    return char


def _marked_blanks(found: re.Match[str]) -> str:
    count = len(found.group())
    return "␠" * count if count <= _MAX_DRAWN else f"⟨{count} blanks⟩"


def _marked_lines(found: re.Match[str]) -> str:
    return f"\n⟨{found.group().count(chr(10)) - 1} empty lines⟩\n"


_visible = _Visible()
