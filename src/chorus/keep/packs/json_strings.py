"""Finds and replaces single strings in the text of a JSON value; all other characters stay exactly as they are."""

import json
import re
from collections.abc import Callable, Container, Iterator

ITEM = "[]"
"""Stands for any position of a list in a path."""
Path = tuple[str, ...]
_SIGN = re.compile(r'["{}\[\],]')
_END_OF_STRING = re.compile(r'(?<!\\)(?:\\\\)*"')
"""A quote after an even number of backslashes."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def replace_strings(text: str, paths: Container[Path], change: Callable[[Path, str], str | None]) -> str:
    """Return the text with another string at each of the paths for which `change` returns one.

    A path consists of the keys that lead to a value. Text that is not JSON is understood as far as possible: no input
    raises.
    """
    parts: list[str] = []
    done = 0
    for path, start, end in _strings(text):
        if path not in paths:
            continue
        try:
            value = json.loads(text[start:end], strict=False)
        except ValueError:
            continue
        if (new := change(path, value)) is not None:
            parts += text[done:start], encoded(new)
            done = end
    return "".join([*parts, text[done:]]) if parts else text


def encoded(value: object) -> str:
    """Return JSON as the client writes it: compact, and without escapes where none are needed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair cannot be written as UTF-8.
    return text if text.isprintable() or not _SURROGATE.search(text) else json.dumps(value, separators=(",", ":"))


def _strings(text: str) -> Iterator[tuple[Path, int, int]]:
    """Yield path, start and end of every string that is a value."""
    path: list[str] = []
    """The key or `ITEM` of each open container; the last one is that of the value that comes next."""
    expects_key: list[bool] = []
    """Whether a key comes next in each open container; never in a list."""
    is_object: list[bool] = []
    at = 0
    while sign := _SIGN.search(text, at):
        at = sign.end()
        match sign[0]:
            case '"':
                end = _END_OF_STRING.search(text, at)
                if end is None:
                    return
                start, at = sign.start(), end.end()
                if expects_key and expects_key[-1]:
                    path[-1] = _key(text[start:at])
                    expects_key[-1] = False
                else:
                    yield tuple(path), start, at
            case "{" | "[" as opening:
                expects_key.append(opening == "{")
                is_object.append(opening == "{")
                path.append("" if opening == "{" else ITEM)
            case ",":
                if is_object and is_object[-1]:
                    expects_key[-1] = True
            case _:
                if not path:
                    return
                for stack in (path, expects_key, is_object):
                    stack.pop()


def _key(token: str) -> str:
    try:
        key = json.loads(token, strict=False)
    except ValueError:
        return token
    return key if isinstance(key, str) else token
