"""Which commands only show text that already exists: their output is no progress of their own."""

import re

_SHOWING = frozenset((
    "cat", "bat", "less", "more", "head", "nl", "tac", "grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk",
    "cut", "sort", "uniq", "wc", "find", "fd", "ls", "tree", "diff", "cmp", "jq", "yq", "strings", "xxd", "od",
    "file", "stat", "du", "df", "free", "top", "htop", "ps", "uptime", "date", "cal", "who", "env", "printenv",
    "echo", "printf", "column", "fold", "comm", "kubectl", "oc", "ip", "ifconfig", "netstat", "ss", "lsof", "ping",
    "dig", "history", "type", "which", "man", "acpi", "sensors", "lscpu", "vmstat", "iostat", "nvidia-smi",
    "sqlite3", "psql", "mysql", "base64", "sha256sum", "md5sum",
    "info", "tldr", "pydoc", "pydoc3", "perldoc", "journalctl", "zcat", "xzcat", "bzcat", "zgrep", "zless",
))  # fmt: skip
_WORKING_GIT = frozenset((
    "clone", "fetch", "pull", "push", "checkout", "switch", "restore", "reset", "rebase", "merge", "cherry-pick", "am",
    "gc", "repack", "prune", "maintenance", "fsck", "lfs", "submodule", "worktree", "bisect", "index-pack", "svn", "p4",
    "filter-branch", "filter-repo", "bundle", "archive", "commit", "add", "apply",
))  # fmt: skip
_SHOWING_GH = frozenset((
    "run", "pr", "issue", "api", "release",
))  # fmt: skip
_SHOWING_DOCKER = frozenset((
    "logs", "ps", "images", "inspect", "history", "stats", "top", "info", "version",
))  # fmt: skip
_BEFORE = frozenset((
    "sudo", "time", "env", "nice", "nohup", "timeout", "command", "exec", "stdbuf", "xargs", "builtin", "ionice",
    "then", "do", "else", "if", "while",
))  # fmt: skip
_SEPARATOR = re.compile(r"&&|\|\||[;\n|&]")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}=\S{0,200}$")
_DOCUMENT = re.compile(r"\.(?:md|rst|py|[jt]sx?|json|html|ya?ml|toml|c|h|cc|cpp|go|rs|java|kt|rb|sh|css)[\"']?$")
"""The end of the name of a file that somebody wrote. The end of any other file may be what a program prints now."""
_COMMAND_CHARS = 4_000


def only_shows_text(command: str) -> bool:
    """Returns whether every part of a shell command only shows text. A pipe is judged by its first command."""
    judged = [_is_showing(part) for part in _starts(command[:_COMMAND_CHARS])]
    return bool(judged) and all(judged)


def _starts(command: str) -> list[list[str]]:
    """Returns the words of every part whose output a reader sees, except what only moves the folder."""
    found: list[list[str]] = []
    is_piped = False
    place = 0
    for separator in [*_SEPARATOR.finditer(command), None]:
        end = separator.start() if separator else len(command)
        words = _words(command[place:end])
        if words and not is_piped and words[0] not in ("cd", "set", "export", "source", ".", "true", "sleep", "mkdir"):
            found.append(words)
        is_piped = separator is not None and separator[0] == "|"
        place = separator.end() if separator else end
    return found


def _words(part: str) -> list[str]:
    words = part.split()
    while words and (words[0] in _BEFORE or _ASSIGNMENT.match(words[0]) or words[0].isdecimal()):
        words = words[1:]
    return words


def _is_showing(words: list[str]) -> bool:
    name = words[0].rpartition("/")[2].strip("\"'()")
    rest = [word for word in words[1:] if not word.startswith("-")]
    if name.startswith("python") and words[1:2] == ["-m"] and len(words) > 2:
        name = words[2]
    if name == "git":
        return bool(rest) and rest[0] not in _WORKING_GIT
    if name == "gh":
        return bool(rest) and rest[0] in _SHOWING_GH
    if name in ("docker", "podman"):
        return bool(rest) and (rest[1] if rest[0] == "compose" and len(rest) > 1 else rest[0]) in _SHOWING_DOCKER
    if name == "tail":
        return bool(rest) and _DOCUMENT.search(rest[-1]) is not None
    return name in _SHOWING
