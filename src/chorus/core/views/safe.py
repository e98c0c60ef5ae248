"""Makes text from a transcript harmless for a terminal: active and hidden characters are written as escapes.

A transcript is untrusted text. Escape sequences could move the cursor or set a title, bidirectional controls show
code in a different order than it runs, and invisible characters carry text that no reader sees.
"""

import re

_UNSAFE = re.compile(
    "\r(?!\n)"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, escape, delete; not tab, line feed, or "\r\n"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffc"
    "\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    # A zero-width joiner is allowed only inside an emoji.
    "|(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


def safe(text: str) -> str:
    """Returns `text` with each active or hidden character as an escape: `\\x1b`, `\\u{202e}`.

    A lone surrogate becomes U+FFFD. Line feeds and tabs stay; the carriage return before a line feed is removed. Safe
    text is returned unchanged. The time is linear in the length of the text.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_written_out, text).replace("\r\n", "\n")


def safe_line(text: str) -> str:
    """Returns safe `text` on one line: every run of white space becomes one space."""
    return safe(" ".join(text.split()))


def _written_out(found: re.Match[str]) -> str:
    code = ord(found.group())
    if 0xD800 <= code <= 0xDFFF:
        return _REPLACEMENT
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def replace_surrogates(text: str) -> str:
    """Returns `text` with U+FFFD for each lone surrogate, so that it can be encoded as UTF-8."""
    return _SURROGATES.sub(_REPLACEMENT, text)


def safe_json(text: str) -> str:
    """Returns JSON text with unsafe characters as `\\uXXXX` escapes: exact values, and safe for a terminal."""
    return _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 | code >> 10:04x}\\u{0xDC00 | code & 0x3FF:04x}"
