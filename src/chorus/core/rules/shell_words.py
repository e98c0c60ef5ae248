"""The parts of a command line: words, redirections, commands. And the words that a shell treats specially."""

from typing import Literal

from msgspec import Struct

WordKind = Literal["fixed", "glob", "dynamic"]
"""What is known before the command runs: the text itself, a pattern for names of files, or nothing."""


class Word(Struct, frozen=True):
    """One word of a command, without its quotes."""

    text: str
    """The text of the word. If the word is not fixed: its source, for display."""
    kind: WordKind = "fixed"
    is_plain: bool = False
    """Whether it was written without any quote or escape, so that the shell may read it as a keyword."""
    may_split: bool = False
    """Whether it may become several words, or none."""

    @property
    def is_fixed(self) -> bool:
        return self.kind == "fixed"


class Redirection(Struct, frozen=True):
    """A file that a command reads or writes because of `<`, `>` and so on."""

    is_write: bool
    target: Word


class Command(Struct, frozen=True):
    """A program with its words, or only assignments and redirections."""

    words: tuple[Word, ...] = ()
    assigned: tuple[str, ...] = ()
    """The variables that it sets, for itself or for the commands after it."""
    redirections: tuple[Redirection, ...] = ()
    is_opaque: bool = False
    """Whether it may run something that its words do not show: only a rule that names every word can allow it."""
    must_name: int = 0
    """How many of its first words a rule must name: they are an alias, a plug-in or a script, and `*` allows none."""


class Unknown(Exception):  # noqa: N818 - it is no error: the line is shown to a person
    """A command line that is not understood completely. The message says what is not understood."""


def listed(text: str) -> frozenset[str]:
    """Returns the words of a text, as a set."""
    return frozenset(text.split())


KEYWORDS = listed("if then else elif fi while until for do done case esac select function time coproc in { } ! [[ ]]")
UNSAFE_BUILTINS = listed(
    """
    . alias autoload bg bind bindkey builtin caller chdir compgen complete compopt coproc declare dirs disable
    disown emulate enable eval exec export fc fg float foreach functions getopts hash history integer jobs let limit
    local logout mapfile nocorrect noglob popd pushd read readarray readonly repeat sched set setopt shift shopt
    source suspend times trap typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt vared wait zle
    zmodload zstyle -
    """
)
"""Builtins of bash, dash and zsh that change what later words mean, or evaluate their words once more."""
