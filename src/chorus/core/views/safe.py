"""Text from a transcript, made harmless for a terminal: what would act or hide is written out instead.

A transcript is a stranger's text. Escape sequences could move the cursor or set a title, bidirectional controls show
code in another order than it runs, and invisible characters carry what no reader sees.
"""

import re

_UNSEEN = re.compile(
    "\r(?!\n)"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, escape, delete; not tab, line feed, or what ends with one
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffc"
    "\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    # A joiner is welcome only inside an emoji.
    "|(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d"
)
_HALVES = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


def safe(text: str) -> str:
    """`text` without anything that acts or hides: `\\x1b`, `\\u{202e}`; a lone surrogate is U+FFFD.

    Line feeds and tabs stay, and the carriage return before a line feed goes. Takes time linear in the text, and
    leaves text that is safe as it is.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(_written_out, text).replace("\r\n", "\n")


def safe_line(text: str) -> str:
    """`text` on one line: every run of white space is one blank."""
    return safe(" ".join(text.split()))


def _written_out(found: re.Match[str]) -> str:
    code = ord(found.group())
    if 0xD800 <= code <= 0xDFFF:
        return _REPLACEMENT
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def whole(text: str) -> str:
    """`text` with U+FFFD for each half of a character, so that it can be encoded."""
    return _HALVES.sub(_REPLACEMENT, text)


def safe_json(text: str) -> str:
    """JSON text with the same characters as `\\uXXXX` escapes: the values are exact, and a terminal may show it."""
    return _UNSEEN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 | code >> 10:04x}\\u{0xDC00 | code & 0x3FF:04x}"
