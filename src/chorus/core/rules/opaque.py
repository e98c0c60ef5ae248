"""Commands that may run something that their words do not show: only a rule that names every word can allow them.

Some programs are opaque always, some with certain words.
"""

import re
from collections.abc import Sequence

from chorus.core.rules.interpreters import is_interpreter, runs_code
from chorus.core.rules.running_programs import RUNNING_PROGRAMS, is_running_option
from chorus.core.rules.running_words import has_running_word
from chorus.core.rules.shell_words import Command, Word, listed

_NUMBER_OF_LINES = re.compile(r"[0-9,$; ]*[pd]")
_SUBSTITUTION = re.compile(r"s([/|,#@])(?:(?!\1)[^\\\n])*\1(?:(?!\1)[^\\\n])*\1[gIip0-9]*")
SHELLS = listed("sh bash dash zsh ksh ash mksh")
_SHELL_FLAG = re.compile(r"-[eux]+")
_WITH_COMMANDS = re.compile(r"-[eux]*c")
_COMPARED = re.compile(r"-[a-z]{1,2}|!|\]|[0-9]+|\$[?#$]|\"?\$[?#$]\"?")
"""What may stand in a comparison of numbers."""


def is_opaque(name: str, command: Command) -> bool:
    """Returns whether a command may run or evaluate something that its words do not show."""
    words = command.words[1:]
    if name in RUNNING_PROGRAMS or any(word.is_fixed and is_running_option(word.text) for word in words):
        return True
    if name in SHELLS:
        # With `-c` its commands are judged; a script could be any file.
        first = next((word.text for word in words if not _SHELL_FLAG.fullmatch(word.text)), "")
        return not _WITH_COMMANDS.fullmatch(first)
    if name in ("sed", "gsed"):
        return not _is_plain_sed(words)
    if name in ("test", "["):
        return _is_odd_test(words)
    if name in ("exit", "return", "break", "continue"):
        return not all(word.is_fixed and word.text.isdecimal() for word in words)
    return runs_code(name, words) if is_interpreter(name) else has_running_word(name, command)


def _is_odd_test(words: Sequence[Word]) -> bool:
    """Returns whether `test` may evaluate one of its words: some shells compute with the words of `-eq`."""
    texts = [word.text for word in words]
    if any(each in ("-v", "-R") for each in texts):
        return True
    if not any(each in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-t") for each in texts):
        return False
    return not all(_COMPARED.fullmatch(each) for each in texts)


def _is_plain_sed(words: Sequence[Word]) -> bool:
    """Returns whether a call of `sed` only prints lines or replaces text, so that it can neither run nor write."""
    script: str | None = None
    for word in words:
        if not word.is_fixed and script is None:
            return False
        if script is None and word.text in ("-n", "-E", "-r", "-s", "--quiet", "--silent", "--posix"):
            continue
        if word.text.startswith("-") and word.text != "-":
            return False
        if script is None:
            script = word.text
    return script is not None and bool(_NUMBER_OF_LINES.fullmatch(script) or _SUBSTITUTION.fullmatch(script))
