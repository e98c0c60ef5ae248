"""A corpus of hostile sessions, with payloads that would run, request, load or deceive, in every field of a session.

A payload that runs sets `window.__pwned` or opens a dialog. A payload that loads requests `pwned.invalid`, which the
sink records.
"""

import base64
import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from chorus.testing.builders import Session, image, thinking, tool_use
from chorus.testing.builders.lines import usage
from tests.e2e.support.worlds import session

HOST = "http://pwned.invalid"
RUN = "window.__pwned=1"
SVG = (
    f'<svg xmlns="http://www.w3.org/2000/svg" onload="{RUN}">'
    f'<image href="{HOST}/svg-image"/><script>{RUN}</script></svg>'
)
SVG_DATA = base64.b64encode(SVG.encode()).decode()

HTML = [
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<img src={HOST}/img>",
    f'<img srcset="{HOST}/srcset 1x">',
    f"<svg onload={RUN}></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s></svg>",
    f'<svg><image href="{HOST}/svg" /></svg>',
    f"<iframe src='javascript:parent.{RUN}'></iframe>",
    f"<iframe src='{HOST}/iframe'></iframe>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<object data='{HOST}/object'></object><embed src='{HOST}/embed'>",
    f"<video autoplay><source src='{HOST}/video' onerror={RUN}></video>",
    f"<audio src='{HOST}/audio' autoplay></audio>",
    f"<body onload={RUN}><details open ontoggle={RUN}>x</details>",
    f"<input autofocus onfocus={RUN}>",
    f"<style>@import '{HOST}/css'; * {{ background: url({HOST}/background) }}</style>",
    f"<link rel=stylesheet href='{HOST}/link'><link rel=prefetch href='{HOST}/prefetch'>",
    f"<meta http-equiv=refresh content='0;url={HOST}/refresh'>",
    f"<base href='{HOST}/base/'>",
    f"<form action='{HOST}/form'><button>Approve</button></form>",
    f"<a href='javascript:{RUN}'>click</a>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>",
    f'"><img src=x onerror={RUN}>',
    f"'><script>{RUN}</script>",
    f"</textarea></title></style></script><img src=x onerror={RUN}>",
    f"<div style='background:url({HOST}/style)'>x</div>",
    "<script>alert('pwned')</script><img src=x onerror=alert(1)>",
    SVG,
]
MARKDOWN = [
    f"[inline](javascript:{RUN})",
    f"[mixed case](JaVaScRiPt:{RUN})",
    f"[entities](&#106;avascript:{RUN})",
    f"[data](data:text/html;base64,{base64.b64encode(f'<script>{RUN}</script>'.encode()).decode()})",
    f"[vb](vbscript:{RUN}) [file](file:///etc/passwd) [blob](blob:{HOST}/x)",
    f"<javascript:{RUN}>",
    f"[reference][1]\n\n[1]: javascript:{RUN}",
    f'![image]({HOST}/md-image) ![titled]({HOST}/md-titled "t")',
    f"![reference][2]\n\n[2]: {HOST}/md-reference",
    f"![data](data:image/svg+xml;base64,{SVG_DATA})",
    f"[![nested]({HOST}/md-nested)](javascript:{RUN})",
    "![protocol](//pwned.invalid/md-protocol) ![upper](HTTP://PWNED.INVALID/md-upper)",
    f"<picture><source srcset='{HOST}/picture'><img src='{HOST}/md-html'></picture>",
    f"| a |\n|---|\n| ![cell]({HOST}/md-cell) |",
    "[same](http://127.0.0.1/api/logout) [user](https://bank.example@pwned.invalid/)",
]
QUIET = [
    '&copy; &amp;&nbsp;&lt;b&gt; [&hellip;](https://a.example/?a=1&copy=2 "&quot;") &notit; &constructor;',
    f"[tab](java\tscript:{RUN}) [line](<java&#10;script:{RUN}>)",
    f"[control](\x01javascript:{RUN})",
    f"```html\n<script>{RUN}</script>\n```",
    f'```"><img/src=x onerror={RUN}>\nfence\n```',
    f'$\\href{{javascript:{RUN}}}{{x}}$\n\n```mermaid\nclick A "javascript:{RUN}"\n```',
    f"[^1]\n\n[^1]: <img src=x onerror={RUN}>",
]
"""Markdown that only some readers make something of: other dialects, code, addresses with signs in between."""
HIDDEN = [
    "\u202egnp.exe\u202c",
    "\u2066isolated\u2069",
    "zero\u200bwidth\u200djoined\ufeff",
    "tag\U000e0041\U000e0042s",
    "\x1b]8;;javascript:window.__pwned=1\x07link\x1b]8;;\x07",
    "\x1b]52;c;cHduZWQ=\x07\x1b]0;owned\x07\x1bPq\x1b\\",
    "\x1b[2J\x1b[1;1H\x1b[?1049h\x9b31mC1",
    "\x1b[8mconcealed\x1b[0m",
    "\x00\x07\x08\x7f\x85\u2028\u2029",
]
UNSEEN = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200e\u200f\u2028\u2029\ufeff\u2060\u00ad"
"""What shows text in another order than it is in, or is not seen at all: never in a page as it is."""
INHERITED = ("__proto__", "constructor", "toString", "hasOwnProperty", "prototype")
BOMB = "\x1b[" + ";" * 1_000_000
BOMB_END = "after the flood"

SESSIONS = {
    name: f"bad0000{n}-0000-4000-8000-00000000000{n}" for n, name in enumerate(("html", "markdown", "hidden"), 1)
}
BOMBED = "bad00004-0000-4000-8000-000000000004"
INHERITING = "bad00005-0000-4000-8000-000000000005"


def corpus() -> list[Session]:
    """Builds a session per kind of payload, with it in every field, one with floods, and one with object names."""
    made = {"html": " ".join(HTML), "markdown": "\n\n".join(MARKDOWN + QUIET), "hidden": " ".join(HIDDEN)}
    return [everywhere(SESSIONS[name], bad) for name, bad in made.items()] + [bombed(), inheriting()]


def everywhere(session_id: str, bad: str) -> Session:
    """Builds a session with `bad` in every text field."""
    made = session(session_id, ago=timedelta(minutes=30), cwd=f"/home/dev/{bad}", branch=bad)
    made.model = made.version = bad
    made.slug = bad.replace("\x00", "")
    made.title(f"{bad} hostile title")
    made.user(f"hostile prompt\n\n{bad}")
    made.user([{"type": "text", "text": bad}, image(), image(SVG_DATA, "image/svg+xml"), image(SVG_DATA, bad)])
    for source in (
        {"type": "url", "url": f"{HOST}/image-url"},
        {"type": "url", "url": bad},
        {"type": bad, "file_id": bad},
    ):
        made.user([{"type": "image", "source": source}])
    made.assistant(thinking(bad), bad, {"type": bad, "text": bad}, tokens=usage(service_tier=bad), stop=bad)
    made.assistant(bad, isApiErrorMessage=True, error=bad)
    _tools(made, bad)
    _records(made, bad)
    made.assistant(f"hostile end\n\n{bad}", stop="end_turn")
    # The client's folder for this session needs a name that the file system accepts.
    made.cwd = "/home/dev/hostile"
    return made


def _called(made: Session, name: str, given: Any, content: Any, structured: Any = None, **more: Any) -> str:
    call = f"toolu_bad{len(made.lines)}"
    made.assistant(tool_use(name, given, id=call))
    made.tool_result(call, content, structured=structured, **more)
    return call


def _tools(made: Session, bad: str) -> None:
    _called(
        made,
        "Bash",
        {"command": bad, "description": bad},
        bad,
        {"stdout": bad, "stderr": bad, "returnCodeInterpretation": bad},
    )
    _called(made, "Bash", {"command": bad}, bad, f"Error: {bad}", is_error=True)
    _called(made, "Read", {"file_path": bad}, bad)
    _called(made, "Read", {"file_path": "/x/a.html"}, f"     1\t{bad}\n")
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": [f"-{bad}", f"+{bad}!"]}
    given = {"file_path": f"/x/{bad}.html", "old_string": bad, "new_string": bad + "!"}
    _called(made, "Edit", given, bad, {"filePath": bad, "oldString": bad, "newString": bad, "structuredPatch": [hunk]})
    _called(made, "Write", {"file_path": bad, "content": bad}, bad, {"type": "create", "filePath": bad, "content": bad})
    _called(made, "NotebookEdit", {"notebook_path": bad, "cell_id": bad, "new_source": bad}, bad)
    _called(made, "Grep", {"pattern": bad, "path": bad, "glob": bad}, bad)
    todo = {"content": bad, "status": bad, "activeForm": bad, "id": bad}
    _called(made, "TodoWrite", {"todos": [todo, {**todo, "status": "completed"}]}, bad)
    asked = {"question": bad, "header": bad, "multiSelect": False, "options": [{"label": bad, "description": bad}]}
    _called(made, "AskUserQuestion", {"questions": [asked]}, bad, {"questions": [asked], "answers": {bad: bad}})
    _called(
        made, "AskUserQuestion", {"questions": [asked]}, bad, {"questions": [asked], "answers": {bad: f"other {bad}"}}
    )
    _called(made, "ExitPlanMode", {"plan": bad, "planFilePath": bad}, bad, {"plan": bad})
    _called(
        made, "WebFetch", {"url": bad, "prompt": bad}, bad, {"result": bad, "code": 200, "codeText": bad, "bytes": 1}
    )
    links = [
        {"title": bad, "url": url}
        for url in (f"javascript:{RUN}", f"data:text/html,{quote(HTML[0])}", f"{HOST}/link", bad)
    ]
    _called(
        made, "WebSearch", {"query": bad}, bad, {"query": bad, "results": [bad, {"tool_use_id": "s", "content": links}]}
    )
    _called(made, f"mcp__{bad}__{bad}", {bad: bad, "json": json.dumps({bad: bad})}, [{"type": "text", "text": bad}])
    _called(made, bad, {bad: [bad, {bad: bad}]}, json.dumps({bad: bad}))
    _called(made, "Skill", {"skill": bad, "args": bad}, bad)
    asked = {"description": bad, "prompt": bad, "subagent_type": bad}
    made.assistant(tool_use("Task", asked, id="toolu_badtask"))
    agent = made.agent("abad1", "toolu_badtask", kind=bad, description=bad)
    agent.user(bad)
    agent.assistant(bad, stop=bad)
    made.tool_result(
        "toolu_badtask", bad, structured={"agentId": "abad1", "status": bad, "content": [{"type": "text", "text": bad}]}
    )
    stored = f"/h/.claude/projects/p/s/tool-results/{bad.split()[0]}.txt"
    _called(made, "Bash", {"command": "x"}, f"<persisted-output>\nFull output saved to: {stored}\n\nPreview:\n{bad}")
    made.assistant(tool_use(bad, {"never": bad}, id=bad[:200]))


def _records(made: Session, bad: str) -> None:
    made.system(bad, content=bad, level=bad)
    made.system("api_error", error={"message": bad}, level="error", content=bad)
    made.system("turn_duration", durationMs=10, content=bad)
    made.attachment(bad, content=bad)
    made.queue("enqueue", bad)
    made.fact(bad, value=bad)
    made.fact("permission-mode", permissionMode=bad)
    made.add({"type": bad, bad: bad, "__proto__": {"polluted": bad}})
    made.summary(bad)
    made.compact(bad, trigger=bad)
    made.user(
        f"<command-name>{bad}</command-name><command-message>{bad}</command-message><command-args>{bad}</command-args>"
    )
    made.user(f"<local-command-stdout>{bad}</local-command-stdout>")
    made.user(bad, isMeta=True)


FLOODS = {
    "brackets": "[" * 20_000 + "](" * 10_000,
    "emphasis": "*a_" * 12_000,
    "quotes": "> " * 10_000 + "deep",
    "lists": "- " * 3_000 + "deep",
    "ticks": "`" * 30_000,
}
"""Markdown that takes a careless reader more than linear time, or more stack than there is."""


def flooded(name: str) -> str:
    """Returns the id of the session with the flood of this name."""
    return f"f100d00{list(FLOODS).index(name)}-0000-4000-8000-000000000004"


def floods() -> list[Session]:
    """Builds one session per flood of Markdown, so that a failure names the flood that caused it."""
    made = [session(flooded(name), ago=timedelta(minutes=40)) for name in FLOODS]
    for each, (name, text) in zip(made, FLOODS.items(), strict=True):
        each.title(f"a flood of {name}")
        each.user(f"a flood of {name}")
        each.assistant(text)
        each.assistant(BOMB_END, stop="end_turn")
    return made


def bombed() -> Session:
    """Builds a session with an endless terminal sequence and JSON that is never closed."""
    made = session(BOMBED, ago=timedelta(minutes=31))
    made.title("hostile floods")
    made.user("hostile floods")
    _called(made, "Bash", {"command": "flood"}, BOMB + "\n" + BOMB_END)
    _called(made, "Deep", {"json": "[" * 5_000, "more": 1}, "[" * 100_000)
    made.assistant(BOMB_END, stop="end_turn")
    return made


def inheriting() -> Session:
    """Builds a session that uses property names of every JavaScript object wherever a name is looked up."""
    made = session(INHERITING, ago=timedelta(minutes=32), branch="__proto__")
    made.title("hostile names")
    made.user("hostile names")
    for name in INHERITED:
        given = {"__proto__": {"polluted": True}, "constructor": {"prototype": {"polluted": True}}, "x": name}
        _called(made, name, given, json.dumps(given))
        _called(made, "TodoWrite", {"todos": [{"content": name, "status": name, "id": name}]}, "")
        _called(made, f"mcp__{name}__{name}", given, name)
        made.assistant(name, stop=name)
        made.system(name, content=name, subtype_of=name)
        made.attachment(name, content=name)
        made.fact("permission-mode", permissionMode=name)
    made.assistant("hostile names end", stop="end_turn")
    return made
