"""Recognises a shell that waits for a person, by the command of its process. Pure."""

_NAMES = frozenset(
    (
        "ash",
        "bash",
        "busybox",
        "csh",
        "dash",
        "elvish",
        "fish",
        "ksh",
        "mksh",
        "nu",
        "pwsh",
        "sh",
        "tcsh",
        "xonsh",
        "zsh",
    )
)
_TAKES_COMMAND = ("-c", "--command", "-Command")


def is_interactive_shell(command: str) -> bool:
    """Returns whether a command is a shell without a script: what is typed there is meant for the shell."""
    first, *words = command.split() or [""]
    name = first.rpartition("/")[2].removeprefix("-")
    if name == "busybox" and words:
        name, *words = words
    if name not in _NAMES:
        return False
    return not any(_is_script(word) for word in words)


def _is_script(word: str) -> bool:
    # Options may be joined, as in `-ic`; a word without a dash is the path of a script.
    is_short = word.startswith("-") and not word.startswith("--")
    return not word.startswith("-") or word in _TAKES_COMMAND or (is_short and "c" in word[1:])
