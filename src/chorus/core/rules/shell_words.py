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
SHELL_VARIABLES = listed(
    """
    AR AS BASHOPTS BASH_ENV BROWSER CC CDPATH CLASSPATH COMPILER_PATH CPP CXX EDITOR ENV EXINIT FC FPATH GCC_EXEC_PREFIX
    GCONV_PATH GOENV GOROOT HGRCPATH HOME IFS INPUTRC JAVA_HOME LD LESSCLOSE LESSOPEN LUA_INIT LUA_PATH MAKEFILES
    MAKEFLAGS MANPAGER NODE_PATH OPENSSL_CONF OPENSSL_ENGINES PAGER PATH PERL5DB PERL5LIB PERL5OPT PERLLIB PHPRC
    PROMPT_COMMAND PS4 PYTHONHOME PYTHONINSPECT PYTHONPATH PYTHONSTARTUP PYTHONUSERBASE R_PROFILE RIPGREP_CONFIG_PATH
    RUBYLIB RUBYOPT RUSTC RUSTDOC RUSTFLAGS SHELL SHELLOPTS SVN_SSH VIMINIT VISUAL XDG_CONFIG_DIRS XDG_CONFIG_HOME
    ZDOTDIR
    """
)
"""Variables that decide which program runs. No rule can allow that they are set."""
_RESERVED_STARTS = (
    "BASH_",
    "CARGO_BUILD_",
    "CARGO_TARGET_",
    "DYLD_",
    "GIT_",
    "LD_",
    "NPM_CONFIG_",
    "ZSH",
    "npm_config_",
)
_RESERVED_ENDS = (
    "_ADDOPTS", "_ASKPASS", "_BROWSER", "_CMD", "_COMMAND", "_EDITOR", "_MAKEFLAGS", "_OPTIONS", "_OPTS", "_PAGER",
    "_PLUGINS", "_PRELOAD", "_RSH", "_SHELL", "_WRAPPER",
)  # fmt: skip
"""Many programs read options, or the program that they start, from variables with such names."""


def is_reserved_variable(name: str) -> bool:
    """Returns whether the variable may decide which program runs."""
    return name in SHELL_VARIABLES or name.startswith(_RESERVED_STARTS) or name.endswith(_RESERVED_ENDS)
