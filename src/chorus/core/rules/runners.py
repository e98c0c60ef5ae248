"""Programs that run other programs: what they start is found in their words, or they are opaque.

A program with a row in `_WRAPPERS`, `find`, `xargs` and the shells are understood: the command that they start is
judged like any other.
"""

import re
from collections.abc import Sequence

from msgspec import Struct, structs

from chorus.core.rules.known_words import words_to_name
from chorus.core.rules.opaque import SHELLS, is_opaque
from chorus.core.rules.shell import commands_of
from chorus.core.rules.shell_words import UNSAFE_BUILTINS, Command, Redirection, Unknown, Word, listed

_SET = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_SHELL_OPTION = re.compile(r"-[eux]*(c?)")
_RUN_WORDS = {
    "bundle": "exec",
    "direnv": "exec",
    "hatch": "run",
    "pdm": "run",
    "pipenv": "run",
    "pnpm": "exec",
    "poetry": "run",
    "tox": "exec",
    "uv": "run",
    "yarn": "exec",
}
"""Programs that start the command after this word."""
_NAMES_FOLDER = ("direnv",)
"""Those that name a folder before the command."""
_FIND_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
_FIND_WRITES = ("-fprint", "-fprint0", "-fprintf", "-fls")
_MAX_DEPTH = 6


class _Wrapper(Struct, frozen=True):
    """How the words of a wrapper are read, up to the command that it starts."""

    flags: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    """Options that are followed by a value, as the next word or glued to it."""
    positional: int = 0
    """How many words precede the command."""
    sets: bool = False
    """Whether assignments may precede the command."""


def _wrapper(flags: str = "", options: str = "", positional: int = 0, *, sets: bool = False) -> _Wrapper:
    return _Wrapper(listed(flags), listed(options), positional, sets)


_WRAPPERS = {
    "env": _wrapper("-i - --ignore-environment -0 --null", "-u --unset", sets=True),
    "timeout": _wrapper("--foreground -v --verbose --preserve-status", "-k --kill-after -s --signal", 1),
    "nice": _wrapper("", "-n --adjustment"),
    "nohup": _wrapper(),
    "ionice": _wrapper("-t", "-c -n --class --classdata"),
    "setsid": _wrapper("-c -f -w --fork --wait"),
    "stdbuf": _wrapper("", "-i -o -e --input --output --error"),
    "command": _wrapper("-p"),
    "sudo": _wrapper("-n -E -H -k -b -S --non-interactive", "-u -g --user --group", sets=True),
    "doas": _wrapper("-n", "-u"),
    "time": _wrapper("-p -v --verbose", "-f -o"),
    "caffeinate": _wrapper("-d -i -m -s -u"),
    "chronic": _wrapper(),
}
_XARGS = _wrapper(
    "-0 -r -t -x --null --no-run-if-empty --verbose --exit",
    "-n -P -L -d -s -E -a -I --max-args --max-procs --max-lines --delimiter --arg-file",
)


def expanded(commands: Sequence[Command], depth: int = 0) -> list[Command]:
    """Returns the commands, and every command that they start themselves. Raises `Unknown`."""
    if depth > _MAX_DEPTH:
        raise Unknown("it is nested too deeply")
    found: list[Command] = []
    for command in commands:
        name = _name(command)
        if name is None:
            found.append(command)
            continue
        if name in UNSAFE_BUILTINS:
            raise Unknown(f"`{name}` changes what the words after it mean")
        must_name = words_to_name(name, command.words)
        own = Command(command.words, command.assigned, command.redirections, is_opaque(name, command), must_name)
        found.append(own if name != "tee" else _with_written(own))
        found += expanded(_started(name, command, depth), depth + 1)
    return found


def _name(command: Command) -> str | None:
    """Returns the name of the program, without its folder; None if there is no program. Raises `Unknown`."""
    if not command.words:
        return None
    if not command.words[0].is_fixed:
        raise Unknown("the name of the program is known only when it runs")
    return command.words[0].text.rpartition("/")[2]


def _started(name: str, command: Command, depth: int) -> list[Command]:
    words = command.words[1:]
    if name in SHELLS:
        return _of_shell(name, words, depth)
    if name == "find":
        return _of_find(words)
    if name == "xargs":
        return _of_xargs(words)
    if name == "command" and words and words[0].text in ("-v", "-V"):
        return []
    if (run := _RUN_WORDS.get(name)) is not None and any(word.text == run for word in words):
        if words[0].text != run:
            raise Unknown(f"options of `{name}` before `{run}`")
        return _of_wrapper(f"{name} {run}", _wrapper(positional=name in _NAMES_FOLDER), words[1:])[0]
    wrapper = _WRAPPERS.get(name)
    return _of_wrapper(name, wrapper, words)[0] if wrapper is not None else []


def _of_wrapper(name: str, wrapper: _Wrapper, words: Sequence[Word]) -> tuple[list[Command], dict[str, str]]:
    """Returns the command that a wrapper starts, and the values of its options. Raises `Unknown`."""
    values: dict[str, str] = {}
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        word = _fixed(name, words[at])
        at += 1
        if word == "--":
            break
        if word in wrapper.flags:
            continue
        option = next((each for each in wrapper.options if _has_option(word, each)), None)
        if option is None:
            raise Unknown(f"the option `{word}` of `{name}`")
        if word == option:
            if at >= len(words):
                raise Unknown(f"`{name}` without a value")
            values[option] = _fixed(name, words[at])
            at += 1
        else:
            values[option] = word[len(option) :].removeprefix("=")
    assigned: list[str] = []
    while wrapper.sets and at < len(words) and (found := _SET.match(_fixed(name, words[at]))) is not None:
        assigned.append(found.group(1))
        at += 1
    for _ in range(wrapper.positional):
        if at >= len(words):
            raise Unknown(f"`{name}` without a command")
        _fixed(name, words[at])
        at += 1
    if at < len(words) and not words[at].is_fixed:
        raise Unknown(f"what `{name}` starts is known only when it runs")
    if at >= len(words) and not assigned:
        return [], values
    return [Command(tuple(words[at:]), tuple(assigned))], values


def _has_option(word: str, option: str) -> bool:
    if word == option:
        return True
    return word.startswith(f"{option}=") if option.startswith("--") else word.startswith(option)


def _of_xargs(words: Sequence[Word]) -> list[Command]:
    started, values = _of_wrapper("xargs", _XARGS, words)
    if not started:
        return []
    given = started[0].words
    replaced = values.get("-I")
    if replaced is None:
        return [Command((*given, Word("…", "dynamic")))]
    if replaced == "":
        raise Unknown("`xargs -I` without a text")
    return [Command(tuple(Word(word.text, "dynamic") if replaced in word.text else word for word in given))]


def _of_find(words: Sequence[Word]) -> list[Command]:
    found: list[Command] = []
    at = 0
    while at < len(words):
        word = _fixed("find", words[at])
        at += 1
        if word == "-delete":
            found.append(Command((Word("rm"), Word("…", "dynamic"))))
        elif word in _FIND_WRITES:
            if at >= len(words):
                raise Unknown("`find` without a file")
            found.append(Command(redirections=(Redirection(is_write=True, target=words[at]),)))
        elif word in _FIND_RUNS:
            start = at
            # `+` ends a command only after `{}`; elsewhere it is one of its words.
            while at < len(words) and words[at].text != ";" and not _ends_batch(words, at):
                at += 1
            if at >= len(words) or at == start:
                raise Unknown("`find` with a command that does not end")
            inner = words[start:at]
            found.append(Command(tuple(Word(each.text, "dynamic") if "{}" in each.text else each for each in inner)))
            at += 1
    return found


def _ends_batch(words: Sequence[Word], at: int) -> bool:
    return words[at].text == "+" and words[at - 1].text == "{}"


def _of_shell(name: str, words: Sequence[Word], depth: int) -> list[Command]:
    for at, word in enumerate(words):
        text = _fixed(name, word)
        option = _SHELL_OPTION.fullmatch(text)
        if option is None or text == "-":
            if text.startswith(("-", "+")):
                raise Unknown(f"the option `{text}` of `{name}`")
            return []
        if option.group(1):
            if at + 1 >= len(words) or words[at + 1].text.startswith(("-", "+")):
                raise Unknown(f"`{name} -c` without a plain text")
            if not words[at + 1].is_fixed:
                raise Unknown(f"what `{name}` runs is known only when it runs")
            return commands_of(words[at + 1].text, depth + 1)
    raise Unknown(f"`{name}` runs what it reads")


def _with_written(command: Command) -> Command:
    """Returns `tee` with the files that it writes."""
    files = [word for word in command.words[1:] if not (word.is_fixed and word.text.startswith("-"))]
    written = tuple(Redirection(is_write=True, target=word) for word in files)
    return structs.replace(command, redirections=(*command.redirections, *written))


def _fixed(name: str, word: Word) -> str:
    if not word.is_fixed:
        raise Unknown(f"a word of `{name}` is known only when it runs")
    return word.text
