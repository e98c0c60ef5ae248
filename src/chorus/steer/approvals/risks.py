"""Hints about the risks of a request. Pure, and only words: a hint decides nothing, and the absence of hints proves
nothing."""

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from chorus.core.conversation.tool_facts import facts_of, kind_of
from chorus.steer.approvals import inputs
from chorus.steer.approvals.model import Request
from chorus.steer.approvals.overwrites import overwrites
from chorus.steer.approvals.visible_text import has_hidden_text, make_visible_line

Kind = Literal[
    "ambiguous", "hidden", "look-alike", "sandbox", "privilege", "remote-code", "deletes", "settings", "network",
    "outside", "long", "background",
]  # fmt: skip
_READ_CHARS = 200_000
"""The most characters of a text that are examined; a longer text gets the hint `long`."""
_LONG_CHARS, _LONG_LINES = 2_000, 40
_PATH_FIELDS = ("file_path", "notebook_path", "path")
_WORD = r"(?<![\w./-])(?:[\w./-]{0,200}/)?"
_DELETES = re.compile(
    _WORD
    + r"(?:rm|rmdir|unlink|shred|truncate|dd|mkfs[\w.]*|del|Remove-Item)(?![\w-])|-delete\b|(?<![\w-])-exec(?:dir)?\b"
    r"|\bgit\s+(?:clean|reset|checkout|restore|push\s+(?:-f|--force)|branch\s+-D|stash\s+(?:drop|clear))|\bdrop\s+(?:table|database)\b",
    re.IGNORECASE,
)
_PRIVILEGE = re.compile(
    _WORD
    + r"(?:sudo|su|doas|pkexec|chmod|chown|chgrp|setfacl|setcap|visudo|usermod|passwd|mount|umount|insmod|modprobe"
    r"|systemctl|launchctl|crontab|runas)(?![\w-])",
    re.IGNORECASE,
)
_NETWORK = re.compile(
    r"\b(?:https?|ftp|wss?|ssh|git)://|"
    + _WORD
    + r"(?:curl|wget|nc|ncat|netcat|socat|telnet|ssh|scp|sftp|rsync|ftp|aria2c|Invoke-WebRequest|iwr|nmap|dig"
    r"|nslookup)(?![\w-])"
    r"|\bgit\s+(?:push|pull|fetch|clone|remote)|/dev/tcp/|\b(?:npm|pnpm|yarn|pip3?|uv|cargo|gem|brew|apt|apt-get|dnf|go)\s+"
    r"(?:i|add|install|publish|get|update|upgrade)\b",
    re.IGNORECASE,
)
_REMOTE_CODE = re.compile(
    r"\|\s*(?:sudo\s+)?(?:[\w./-]{0,200}/)?(?:ba|z|da|k|fi)?sh\b|\|\s*(?:sudo\s+)?(?:python[\d.]*|node|perl|ruby|php|iex)\b"
    r"|\b(?:eval|source|iex)\s+[^\n]{0,80}(?:curl|wget)|<\(\s*(?:curl|wget)|\bbase64\s+(?:-d|-D|--decode)|\b(?:npx|uvx|pipx\s+run)\s",
    re.IGNORECASE,
)
_SETTINGS = re.compile(
    r"\.claude(?:\.json|/|\b)|\.chorus\b|\bCLAUDE\.md\b|\.mcp\.json|\.git/(?:hooks|config)|core\.hooksPath"
    r"|\.(?:bash_profile|bash_login|bash_logout|bashrc|profile|zshrc|zshenv|zprofile|zlogin|kshrc|inputrc|tmux\.conf|gitconfig|npmrc|netrc)\b"
    r"|config\.fish|\.ssh\b|authorized_keys|/etc/|\.config/(?:systemd|autostart|fish|git)|LaunchAgents|\bcrontab\b"
    r"|\.vscode/(?:settings|tasks)|\.envrc\b|\.husky\b|\bchorus\s+(?:approve|approver|hooks|config)\b",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(
    r"(?<![\w.:/~$}-])(?:~[\w-]{0,40}/?|/)[\w.@+~-][\w.@+~/-]{0,1000}|(?<![\w./-])\.\./?[\w./-]{0,1000}|\$\{?HOME\b"
)
_HARMLESS = re.compile(r"/dev/(?:null|stdin|stdout|stderr|tty|fd/\d+)|/(?:usr/)?bin/(?:env|ba?sh|sh)")
_WORDS = re.compile(r"[^\W\d_]{2,64}")


class Hint(Struct, frozen=True):
    """One thing that the person should look at."""

    kind: Kind
    text: str


def hints(request: Request) -> tuple[Hint, ...]:
    """Returns what to look at before deciding, most important first; each kind once."""
    found: dict[Kind, Hint] = {}
    for hint in _found(request):
        found.setdefault(hint.kind, hint)
    return tuple(found.values())


def _found(request: Request) -> Iterator[Hint]:
    given = inputs.fields(request.input)
    if inputs.has_repeated_names(request.input):
        yield Hint(
            "ambiguous", "the input names a field twice, or cannot be read to the end: programs may differ on it"
        )
    all_texts = [request.tool, request.cwd, *inputs.texts(request.input)]
    if any(map(has_hidden_text, all_texts)):
        yield Hint("hidden", "contains characters or blanks that hide something: they are written out")
    if (word := next((word for text in all_texts for word in _mixed(text)), None)) is not None:
        yield Hint("look-alike", f"mixes letters of several alphabets in one word: {ascii(word)[1:-1]}")
    if given.get("dangerouslyDisableSandbox"):
        yield Hint("sandbox", "asks to run outside the sandbox")
    if kind_of(request.tool) == "command":
        yield from _about_command(request, given)
    yield from _about_paths(request, given)
    if facts_of(request.tool).reaches_network:
        yield Hint("network", "may reach the network")
    if given.get("run_in_background"):
        yield Hint("background", "goes on in the background")


def _about_command(request: Request, given: dict[str, Any]) -> Iterator[Hint]:
    whole = given.get("command")
    if not isinstance(whole, str):
        yield Hint("ambiguous", "the command is not a text")
        return
    command = whole[:_READ_CHARS]
    if found := _PRIVILEGE.search(command):
        yield Hint("privilege", f"changes rights or the system: {_quoted(found)}")
    if found := _REMOTE_CODE.search(command):
        yield Hint("remote-code", f"may run code that it fetches or unpacks: {_quoted(found)}")
    if found := _DELETES.search(command):
        yield Hint("deletes", f"may delete or overwrite: {_quoted(found)}")
    elif (part := overwrites(command)) is not None:
        yield Hint("deletes", f"may overwrite a file: {_shown(part)}")
    if found := _SETTINGS.search(command):
        yield Hint("settings", f"touches settings, hooks or profiles: {_quoted(found)}")
    if found := _NETWORK.search(command):
        yield Hint("network", f"may reach the network: {_quoted(found)}")
    for path in _ABSOLUTE.finditer(_HARMLESS.sub("", command)):
        if is_outside(path.group(), request.cwd):
            yield Hint("outside", f"names something outside the workspace: {_quoted(path)}")
            break
    if len(whole) > _LONG_CHARS or whole.count("\n") > _LONG_LINES:
        yield Hint("long", f"is long: {len(whole):,} characters, {whole.count(chr(10)) + 1:,} lines")


def _about_paths(request: Request, given: dict[str, Any]) -> Iterator[Hint]:
    for name in _PATH_FIELDS:
        path = given.get(name)
        if not isinstance(path, str):
            continue
        if is_outside(path, request.cwd):
            yield Hint("outside", f"is outside the workspace: {make_visible_line(path[:200])}")
        if (found := _SETTINGS.search(path[:_READ_CHARS])) and kind_of(request.tool) != "reader":
            yield Hint("settings", f"changes settings, hooks or profiles: {_quoted(found)}")


def is_settings(path: str) -> bool:
    """Returns whether a path, in the form that the system gives it, is that of settings, hooks or profiles."""
    return _SETTINGS.search(path[:_READ_CHARS]) is not None


def is_outside(path: str, cwd: str) -> bool:
    """Returns whether a path, as it is written, leads out of the folder.

    Links are not followed, and in doubt it returns True.
    """
    if path.startswith(("~", "$")) or not cwd.startswith("/"):
        return True
    base = posixpath.normpath(cwd)
    place = posixpath.normpath(posixpath.join(base, path))
    return place != base and not place.startswith(base.rstrip("/") + "/")


def _mixed(text: str) -> Iterator[str]:
    """Yields words that mix Latin letters with letters that look like them."""
    if text.isascii():
        return
    for found in _WORDS.finditer(text[:_READ_CHARS]):
        word = found.group()
        if not word.isascii() and len({_alphabet(char) for char in word} & {"LATIN", "CYRILLIC", "GREEK"}) > 1:
            yield word


def _alphabet(char: str) -> str:
    return "LATIN" if char.isascii() else unicodedata.name(char, "").partition(" ")[0]


def _quoted(found: re.Match[str]) -> str:
    return _shown(found.group())


def _shown(part: str) -> str:
    return f"`{make_visible_line(' '.join(part[:80].split()))}`"
