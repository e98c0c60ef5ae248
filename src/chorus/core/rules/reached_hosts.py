"""The hosts that a command reaches: known completely, for a rule that allows; in any spelling, for one that denies."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from chorus.core.rules.shell_words import Word, listed

_URL = re.compile(r"https?://([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::[0-9]{1,5})?(?:/[!-\[\]-~]*)?")
"""A URL whose host every reader understands alike: no user, no backslash, only ASCII, and a slash after the host."""
_FLAGS = {
    "curl": re.compile(
        r"-[fsSIivg46]+|--(?:compressed|fail|fail-with-body|get|globoff|head|http1\.1|http2|include|ipv4|ipv6"
        r"|no-progress-meter|progress-bar|show-error|silent|verbose)"
    ),
    "wget": re.compile(
        r"-[qvS46]+|-nv|--(?:inet4-only|inet6-only|max-redirect=0|no-verbose|quiet|server-response|spider)"
    ),
}
"""Options by which the program reaches no other host. It would by following redirects."""
_OTHER_FLAGS = re.compile(r"-[qsv46]+|--(?:bare|ipv4|ipv6|mirror|no-tags|progress|quiet|silent|single-branch|verbose)")
_FOLLOWS_UNLESS = {"wget": "--max-redirect=0"}
"""Programs that follow redirects unless this word is given."""
_CURL_PATTERN = re.compile(r"[{\[]")
_URL_PATTERN = re.compile(r"://[^/]*[{\[]")
_NUMBERS = re.compile(r"(?<![\w.])(?:0x[0-9a-f]+|[0-9]+)(?:\.(?:0x[0-9a-f]+|[0-9]+)){0,3}(?![\w])")
_ENCODED = re.compile(r"%([0-7][0-9A-Fa-f])")
_LOCAL = listed("localhost localhost.localdomain")


def host_of(url: str) -> str | None:
    """Returns the host of a URL; None if it is no URL that every reader understands alike."""
    found = _URL.fullmatch(url)
    return found.group(1).lower() if found is not None else None


def is_host(patterns: Iterable[str], host: str) -> bool:
    return any(host.endswith(each[1:]) if each.startswith("*.") else host == each for each in patterns)


def reaches_only(patterns: Sequence[str], program: str, words: Sequence[Word]) -> bool:
    """Returns whether every word is a URL of one of these hosts, or an option that changes nothing about hosts."""
    name = program.rpartition("/")[2]
    flags = _FLAGS.get(name, _OTHER_FLAGS)
    needed = _FOLLOWS_UNLESS.get(name)
    if needed is not None and not any(word.is_fixed and word.text == needed for word in words):
        return False
    found = [host_of(word.text) if word.is_fixed else None for word in words if not flags.fullmatch(word.text)]
    return bool(found) and all(host is not None and is_host(patterns, host) for host in found)


def may_name_host(patterns: Sequence[str], program: str, words: Sequence[Word]) -> bool | None:
    """Returns whether some word names one of these hosts in any spelling; None if that cannot be known."""
    texts = [spelled for word in words for spelled in _spellings(word.text)]
    names = [pattern.removeprefix("*.") for pattern in patterns]
    if any(name in text for name in names for text in texts):
        return True
    numbers = {value for name in names if (value := _address("127.0.0.1" if name in _LOCAL else name)) is not None}
    if numbers and any(_address(each.group()) in numbers for text in texts for each in _NUMBERS.finditer(text)):
        return True
    pattern = _CURL_PATTERN if program.rpartition("/")[2] == "curl" else _URL_PATTERN
    is_sure = all(word.is_fixed and not pattern.search(word.text) for word in words)
    return False if is_sure else None


def _spellings(text: str) -> tuple[str, str]:
    """Returns a text as it is, and as programs may read the host in it: percent signs decoded, other letters plain."""
    plain = (
        unicodedata.normalize("NFKC", _ENCODED.sub(lambda found: chr(int(found.group(1), 16)), text))
        .replace("\u3002", ".")
        .replace("\xad", "")
    )
    return text.lower(), plain.casefold()


def _address(text: str) -> int | None:
    """Returns the number that an IPv4 address stands for in any of its forms, such as `0x7f.1`; None if it is none."""
    parts: list[int] = []
    for part in text.split("."):
        try:
            base = 16 if part.startswith("0x") else 8 if part.startswith("0") and part != "0" else 10
            parts.append(int(part, base))
        except ValueError:
            return None
    if len(parts) > 4 or any(part > 255 for part in parts[:-1]) or parts[-1] >= 256 ** (5 - len(parts)):
        return None
    return sum(part << 8 * (3 - at) for at, part in enumerate(parts[:-1])) + parts[-1]
