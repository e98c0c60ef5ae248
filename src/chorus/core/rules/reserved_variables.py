"""Variables that decide which program runs, what it loads, or its options. No rule can allow that they are set."""

from chorus.core.rules.shell_words import listed

_NAMES = listed(
    """
    AR AS BASHOPTS BASH_ENV BROWSER CC CPP CXX EDITOR ENV EXINIT FC GCCGO GOAUTH GOBIN GOCACHEPROG GOENV GOPROXY
    GOROOT GOSUMDB GOTOOLCHAIN GOTOOLDIR GOVCS GOWORK HOME IFS INPUTRC LD LESSCLOSE LESSOPEN LUA_INIT MAKEFILES
    MANPAGER MYPYPATH OPENSSL_CONF OPENSSL_ENGINES PAGER PHPRC PROMPT_COMMAND PS4 RUSTC RUSTDOC R_PROFILE SHELL
    SHELLOPTS SVN_SSH VIMINIT VISUAL ZDOTDIR
    """
)
_STARTS = (
    "ANSIBLE_", "AWS_", "BASH_", "BUNDLE_", "CARGO", "COMPOSER_", "CORECLR_", "COR_", "DOCKER_", "DOTNET_", "DYLD_",
    "GCC_", "GEM_", "GIT_", "GNUPG", "JAVA", "KUBE", "LD_", "NODE_", "NPM_CONFIG_", "PERL", "PIP_", "PYTHON",
    "RUBY", "RUSTUP_", "SSH_", "TERMINFO", "UV_", "XDG_", "ZSH", "npm_config_",
)  # fmt: skip
_ENDS = (
    "FLAGS", "PATH", "_ADDOPTS", "_ASKPASS", "_BROWSER", "_CMD", "_COMMAND", "_CONFIG", "_CONFIG_FILE", "_CONFIG_PATH",
    "_EDITOR", "_HOME", "_HOOKS", "_MODULE", "_OPTIONS", "_OPTS", "_PAGER", "_PLUGINS", "_PRELOAD", "_RSH", "_SHELL",
    "_WRAPPER",
)  # fmt: skip
"""Many programs read options, or the program that they start, from variables with such names."""
_HARMLESS = listed(
    """
    AWS_DEFAULT_REGION AWS_REGION CARGO_INCREMENTAL CARGO_TERM_COLOR NODE_ENV NODE_NO_WARNINGS
    PYTHONDONTWRITEBYTECODE PYTHONFAULTHANDLER PYTHONHASHSEED PYTHONIOENCODING PYTHONUNBUFFERED PYTHONUTF8
    """
)


def is_reserved_variable(name: str) -> bool:
    """Returns whether the variable may decide which program runs."""
    return name not in _HARMLESS and (name in _NAMES or name.startswith(_STARTS) or name.endswith(_ENDS))
