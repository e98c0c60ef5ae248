"""Interpreters of Python, Perl, Ruby, Node and others: whether a call runs a script that is named."""

import re
from collections.abc import Sequence

from chorus.core.rules.shell_words import Word, listed

_INTERPRETER = re.compile(r"(?:python|pypy|perl|ruby|node|nodejs|deno|bun|lua|php|tsx|ts-node)[0-9.]*")
_PLAIN_OPTIONS = {
    "perl": re.compile(r"-[wWtTu]+"),
    "python": re.compile(r"-[bBdhIOPqsSuvVx?]+|-[WX][a-z_:=]+|--(?:help|version)(?:-[a-z]+)?"),
    "ruby": re.compile(r"-[wWvU]+|--(?:help|version)"),
}
"""Options of interpreters that neither contain code nor name a file that is run as well."""
_PLAIN_LONG_OPTION = re.compile(
    r"--(?:allow|check|deny|frozen|help|inspect|lock|max|no|test|throw|trace|unhandled|v8|version|watch)(?:-[a-z0-9-]+)?"
    r"(?:=[a-z0-9]+)?"
)
"""The same for Node, Deno and others. What takes a module, such as `--import`, is not among them."""
_NAMES_MODULE = ("--test-reporter", "--test-global-setup")
_MODULE_OPTION = re.compile(r"-[bBdIOPqsSuv]*m")
_MODULES_WITH_CODE = listed(
    """
    ansible asyncio bdb bpython code conda cProfile debugpy dotenv fabric hatch honcho idlelib invoke ipdb IPython
    jupyter memory_profiler nox pdb pdm pipenv pipx poetry profile ptpython pudb pyinstrument _pyrepl runpy scalene
    sqlite3 supervisor timeit tox trace uv viztracer watchdog watchfiles webbrowser xonsh
    """
)
"""Modules of Python that run what the words after them say, or what they read."""
_WITH_VALUE = ("-W", "-X")
"""Options of interpreters that are followed by a value and not by code."""
_WITH_SUBCOMMANDS = ("deno", "bun")
_STANDARD_INPUT = re.compile(
    r"-|(?:.*/)?(?:dev/(?:std.*|fd/.*|tty.*|pts/.*)|proc/.*)|(?:data|https?|npm|jsr):.*", re.DOTALL
)
"""Names of scripts that may be what another program writes, what is in the name itself, or on another machine."""


def is_interpreter(name: str) -> bool:
    return _INTERPRETER.fullmatch(name) is not None


def runs_code(name: str, words: Sequence[Word]) -> bool:
    """Returns whether an interpreter runs something else than a script or a module that is named."""
    kind = name.rstrip("0123456789.").replace("pypy", "python")
    plain = _PLAIN_OPTIONS.get(kind, _PLAIN_LONG_OPTION)
    is_value = False
    for at, word in enumerate(words):
        text = word.text
        if not word.is_fixed or (is_value and text.startswith("-")):
            return True
        if is_value or text in _WITH_VALUE:
            is_value = not is_value
        elif _MODULE_OPTION.fullmatch(text):
            return not words[at + 1 :] or words[at + 1].text.partition(".")[0] in _MODULES_WITH_CODE
        elif not text.startswith("-"):
            rest = words[at:] if kind in _WITH_SUBCOMMANDS else words[at : at + 1]
            return text in ("eval", "exec", "repl", "x") or any(_STANDARD_INPUT.fullmatch(each.text) for each in rest)
        elif text in _NAMES_MODULE or not plain.fullmatch(text):
            return True
    return True
