"""How the client reads and writes text: encoding, byte order mark, line endings.

Its tools for files turn `\\r\\n` into `\\n` when they read. An edit is written back with the line ending that is more
frequent at the beginning of the file, in UTF-8, or in UTF-16 if the file has its byte order mark. The record has the
text after that step, so the bytes follow only if the bytes before the edit are known.
"""

import codecs

from chorus.core.file_versions.lines import normalized

MARK = "\ufeff"
_SAMPLE = 4096
"""The client counts line endings in about this many characters at the beginning."""


def text_of(content: bytes) -> str | None:
    """Returns the text of a file as the client's tools see it; None if it is no text for them."""
    try:
        if content.startswith(codecs.BOM_UTF16_LE):
            return normalized(content.decode("utf-16-le"))
        return normalized(content.decode("utf-8"))
    except UnicodeDecodeError:
        return None


def encoded_plainly(text: str) -> bytes | None:
    """Returns a text in UTF-8; None if it cannot be written."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return None


def encoded_like(text: str, before: bytes) -> bytes | None:
    """Returns the bytes that the client writes for an edited text in place of `before`; None if that is not certain."""
    ending = _line_ending(before)
    if ending is None or (ending == "\r\n" and "\r\n" in text):
        return None
    whole = text.replace("\n", ending) if ending != "\n" else text
    try:
        return whole.encode("utf-16-le" if before.startswith(codecs.BOM_UTF16_LE) else "utf-8")
    except UnicodeEncodeError:
        return None


def written_over(text: str, before: bytes | None) -> bytes | None:
    """Returns the bytes of a text that replaced a whole file; `before` is None if nothing is known of that file.

    None if it is not certain: a text with a byte order mark is written in the encoding of the file that was there.
    """
    if not text.startswith(MARK):
        return encoded_plainly(text)
    if before is None:
        return None
    try:
        return text.encode("utf-16-le" if before.startswith(codecs.BOM_UTF16_LE) else "utf-8")
    except UnicodeEncodeError:
        return None


def has_mark(content: bytes) -> bool:
    """Returns whether a file begins with a byte order mark that the client keeps."""
    return content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF8))


def _line_ending(content: bytes) -> str | None:
    """Returns the line ending with which the client writes the file back; None if that is not certain."""
    is_wide = content.startswith(codecs.BOM_UTF16_LE)
    text = content.decode("utf-16-le" if is_wide else "utf-8", "replace")
    sample = text[: _SAMPLE + 1]
    if "\r\n" not in sample:
        return "\n"
    if "\n" not in text.replace("\r\n", ""):
        # All are the same: it is enough that one of them is surely in the sample.
        return "\r\n" if b"\n" in content[: _SAMPLE - 1].replace(b"\n\0", b"\n") else None
    found = {_more_frequent(part) for part in (text[: _SAMPLE - 1], sample, _in_bytes(content, is_wide=is_wide))}
    return found.pop() if len(found) == 1 else None


def _in_bytes(content: bytes, *, is_wide: bool) -> str:
    return content[:_SAMPLE].decode("utf-16-le" if is_wide else "utf-8", "replace")


def _more_frequent(text: str) -> str:
    windows = text.count("\r\n")
    return "\r\n" if windows > text.count("\n") - windows else "\n"
