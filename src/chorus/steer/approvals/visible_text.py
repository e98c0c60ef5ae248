"""A text as a person who decides must see it: nothing in it acts, hides, or is pushed out of sight. Pure.

Stricter than what a transcript is shown with: there a reader may miss an invisible character, here that may be the
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
"""Letters and marks that leave no ink."""
_MAX_DRAWN = 40
_MAX_KNOWN = 10_000
_SHORT = {"\t": "\\t", "\r": "\\r", "\x1b": "\\e"}


class _Visible(dict[int, str]):
    """What each character is shown as; worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        shown = _shown(chr(code))
        if len(self) < _MAX_KNOWN:
            self[code] = shown
        return shown


def seen(text: str) -> str:
    """`text` with every character that acts, hides or leaves no ink as an escape, and long runs of blanks counted.

    Line feeds stay. Takes time linear in the text. What is shown may look like an escape that was typed: both are read.
    """
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_visible)
    return _EMPTY_LINES.sub(_told_lines, _BLANKS.sub(_told_blanks, text))


def seen_line(text: str) -> str:
    """The same on one line, so that no text can pass for a line of its own."""
    return seen(text).replace("\n", "\\n")


def hides(text: str) -> bool:
    """Whether anything but tabs, line feeds and indentation had to be made visible."""
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


def _told_blanks(found: re.Match[str]) -> str:
    count = len(found.group())
    return "␠" * count if count <= _MAX_DRAWN else f"⟨{count} blanks⟩"


def _told_lines(found: re.Match[str]) -> str:
    return f"\n⟨{found.group().count(chr(10)) - 1} empty lines⟩\n"


_visible = _Visible()
