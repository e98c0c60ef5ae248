"""Recognises `tool:Bash`, `cost>1`, `regex:/x/`: a key, a sign and a value, as opposed to words that look similar.

A key of `keys.HINTS` directly before a colon is a field, unless a second colon or two slashes follow (`file::open`,
`file://x`). Two or more other letters directly before a colon are treated as a mistyped field and rejected, unless it
is clear that no field was meant: white space or the end follows (`note: x`), or a colon, slash or backslash
(`std::string`, `http://x`), or a digit while the letters resemble no key (`localhost:8080`). Everything else is a word
(`12:30`, `C:\\x`).
"""

import re

from chorus.core.query.keys import EXAMPLES, HINTS, closest, meant_key
from chorus.core.query.lexemes import Lexeme, Pair, Value
from chorus.core.query.quoting import bare_end, quote_hint, read_quoted, shortened
from chorus.core.query.tree import MEASURES, Regex
from chorus.errors import QueryError

_NAMED = re.compile(r"([A-Za-z]{2,}(?:-[A-Za-z]+)*):")
_COMPARED = re.compile(r"([A-Za-z]+)(?::|[ \t]*)(>=|<=|>|<|=)[ \t]*")
_SLASHED = re.compile(r"/((?:[^/\\]|\\.)*)/", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NONBLANK = re.compile(r"\S*")
_LIKE_A_MEASURE = 0.8
"""Accepts `token` and `costs`. `count>5` is code that somebody searches for."""


def pair_at(text: str, at: int) -> Lexeme | None:
    """Returns the pair that begins at `at`; None if a word begins there."""
    if (compared := _COMPARED.match(text, at)) is not None:
        key = compared[1].lower()
        if key in MEASURES:
            value = _value_at(text, compared.end(), key)
            return Lexeme(at, value.end, Pair(key, compared[2], (value,)))
        _refuse_a_mistyped_measure(text, compared)
    if (named := _NAMED.match(text, at)) is None:
        return None
    key = named[1].lower()
    if key not in HINTS:
        _refuse_a_mistyped_field(text, named)
        return None
    if text.startswith(":", named.end()) or (key != "regex" and text.startswith("//", named.end())):
        return None
    if key == "regex":
        return _regex_at(text, at, named.end())
    values = _values_at(text, named.end(), key)
    return Lexeme(at, values[-1].end, Pair(key, ":", values))


def _values_at(text: str, at: int, key: str) -> tuple[Value, ...]:
    values = [_value_at(text, at, key)]
    while text.startswith(",", values[-1].end):
        values.append(_value_at(text, values[-1].end + 1, key))
    end = values[-1].end
    if end < len(text) and not text[end].isspace() and text[end] != ")":
        raise QueryError('a value is quoted as a whole, as in workspace:"my app"', text, at, end + 1)
    return tuple(values)


def _value_at(text: str, at: int, key: str) -> Value:
    if text.startswith('"', at):
        value, end = read_quoted(text, at)
        return Value(value, at, end)
    if text.startswith("(", at):
        raise QueryError(f"several values are written with commas, as in {key}:a,b", text, at, at + 1)
    end = bare_end(text, at, stops=",")
    if end == at:
        raise QueryError(f"a value is missing here: {key} is written like {EXAMPLES[key]}", text, at, at + 1)
    return Value(text[at:end], at, end)


def _regex_at(text: str, at: int, slash: int) -> Lexeme:
    found = _SLASHED.match(text, slash)
    if found is None:
        opened = text.startswith("/", slash)
        message = "this pattern never ends: a slash closes it, and \\/ is a slash in it"
        if not opened:
            message = f"a pattern is written between slashes, as in {EXAMPLES['regex']}"
        raise QueryError(message, text, slash, slash + 1)
    if not found[1]:
        raise QueryError("there is nothing between these slashes", text, slash, found.end())
    end = bare_end(text, found.end())
    flags = text[found.end() : end]
    if flags not in ("", "i"):
        message = "after a pattern only i is allowed, to ignore case; a slash in it is written \\/"
        raise QueryError(message, text, found.end(), end)
    pattern = _ESCAPE.sub(lambda escape: "/" if escape[1] == "/" else escape[0], found[1])
    return Lexeme(at, end, Regex(pattern, ignores_case=bool(flags)))


def _refuse_a_mistyped_field(text: str, named: re.Match[str]) -> None:
    after = text[named.end() : named.end() + 1]
    if not after or after.isspace() or after in ":/\\)":
        return
    meant = meant_key(named[1])
    if meant is None and (after.isdigit() or ":" in _piece(text, named.end(), named.end())):
        # `node:20` and `arn:aws:s3` name something else.
        return
    guess = f'did you mean "{meant}"?' if meant else f"the fields are {', '.join(HINTS)}."
    message = f'unknown field "{shortened(named[1])}": {guess} {quote_hint(_piece(text, named.start(), named.end()))}'
    raise QueryError(message, text, named.start(), named.end())


def _refuse_a_mistyped_measure(text: str, compared: re.Match[str]) -> None:
    meant = closest(compared[1], MEASURES, likeness=_LIKE_A_MEASURE)
    if meant is None or not text[compared.end() : compared.end() + 2].lstrip("$")[:1].isdigit():
        return
    piece = _piece(text, compared.start(), compared.end())
    message = f'unknown figure "{compared[1]}": did you mean "{meant}"? {quote_hint(piece)}'
    raise QueryError(message, text, compared.start(), compared.end(1))


def _piece(text: str, start: int, at: int) -> str:
    """Returns the text from `start` to the white space after `at`, without quotes."""
    found = _NONBLANK.match(text, at)
    assert found is not None
    return text[start : found.end()].replace('"', "")
