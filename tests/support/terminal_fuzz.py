"""Generates texts with control sequences from a seed, and finds control characters in the output for a terminal."""

import random
import re

SEED = 20_260_207

_INTRODUCERS = ("\x1b[", "\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_", "\x9b", "\x9d", "\x90", "\x98", "\x9e", "\x9f")
_ENDS = ("\x07", "\x1b\\", "\x9c", "", "\n", "\x18", "\x1a")
_FINALS = "ABCDGHJKLMPSTXZ@`bcdfghilnpqrstuxyz~"
_STRINGS = (
    "0;owned",
    "2;owned",
    "8;;http://e.example",
    "52;c;cHduZWQ=",
    "4;1;rgb:ff/00/00",
    "1337;File=:eA==",
    "+q544e",
)
_FOREIGN_SGR = ("6", "8", "5;8", "53", "58;5;1", "38:2::1:2:3", "21;51", "?1", ">4;2")
"""Renditions that Chorus itself never writes: blinking, concealed, framed, coloured underlines, private ones."""
_CONTROLS = [chr(code) for code in (*range(9), 11, 12, *range(14, 32), *range(127, 160))]
_HIDING = "\u202a\u202e\u2066\u2069\u200b\u200e\u2028\ufeff\u00ad\U000e0041\ud800\udfff"
_WORDS = (
    "rm -rf",
    "needle",
    "Grüße",
    "日本",
    "👩\u200d💻",
    "a_b",
    "**x**",
    "[l](u)",
    "|",
    "# h",
    "- ",
    "`",
    "&amp;",
    "<b>",
)
_WRAPPERS = (
    "{}",
    "a {} b",
    "```{}\n{}\n```",
    "`{}`",
    "[{}](http://e.example/{})",
    "![{}](x '{}')",
    "| {} |\n|---|\n| {} |",
    "# {}",
    "> - {}",
    "<b title='{}'>{}</b>",
    '{{"k": "{}"}}',
    "\\{}",
    "x\r{}\r\ny",
    "[r]: http://e.example '{}'\n\n[{}][r]",
)

_OWN_PARAMETER = r"(?:0|1|2|3|4|7|9|3[0-7]|39|4[0-7]|49|9[0-7]|10[0-7]|[34]8;5;\d{1,3}|[34]8;2(?:;\d{1,3}){3})"
OWN = re.compile(rf"\x1b\[(?:{_OWN_PARAMETER}(?:;{_OWN_PARAMETER})*)?m")
"""The sequences that Chorus writes: colours and weights."""
_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def acting(shown: str, *, colours: bool) -> list[str]:
    """Returns each C0 (except line feed and tab), DEL, C1 or escape in a text for a terminal, with its context.

    With `colours`, the colours that Chorus itself writes are not reported.
    """
    rest = OWN.sub("", shown) if colours else shown
    return [repr(rest[max(0, found.start() - 20) : found.end() + 20]) for found in _ACTS.finditer(rest)]


def texts(count: int, seed: int = SEED) -> list[str]:
    """Returns this many different texts, each with at least one control sequence.

    About one in eight texts has its control characters as character references.
    """
    chance = random.Random(seed)
    made: dict[str, None] = {}
    while len(made) < count:
        made[_text(chance)] = None
    return list(made)


def _text(chance: random.Random) -> str:
    parts = [_acting(chance)]
    parts += [chance.choice((_acting, _word, _hiding, _noise))(chance) for _ in range(chance.randrange(4))]
    chance.shuffle(parts)
    text = chance.choice(_WRAPPERS).replace("{}", "".join(parts)).replace("{{", "{").replace("}}", "}")
    return _referred(text, chance) if chance.random() < 1 / 8 else text


def _acting(chance: random.Random) -> str:
    kind = chance.randrange(4)
    if kind == 0:
        begin = chance.choice(("\x1b[", "\x1b", "\x9b"))
        return f"{begin}{_parameters(chance)}{chance.choice(_FINALS)}"
    if kind == 1:
        begin = chance.choice(("\x1b[", "\x9b"))
        return f"{begin}{chance.choice(_FOREIGN_SGR)}m"
    if kind == 2:
        return f"{chance.choice(_INTRODUCERS)}{chance.choice(_STRINGS)}{chance.choice(_ENDS)}"
    return "".join(chance.choices(_CONTROLS, k=chance.randrange(1, 4)))


def _parameters(chance: random.Random) -> str:
    given = ";".join(str(chance.randrange(10 ** chance.randrange(1, 6))) for _ in range(chance.randrange(5)))
    return chance.choice(("", "?", ">", "=")) + given + chance.choice(("", "", " ", "$", "!"))


def _word(chance: random.Random) -> str:
    return chance.choice(_WORDS)


def _hiding(chance: random.Random) -> str:
    return chance.choice(_HIDING)


def _noise(chance: random.Random) -> str:
    return "".join(
        chr(chance.randrange(0x110) if chance.random() < 0.7 else chance.randrange(0x3000)) for _ in range(4)
    )


def _referred(text: str, chance: random.Random) -> str:
    """Replaces control characters with character references, which a Markdown reader decodes."""
    form = chance.choice(("&#{};", "&#{:05d};", "&#x{:x};", "&#X{:04X};"))
    return _ACTS.sub(lambda found: form.format(ord(found.group())), text)
