"""Commands that may run something that their words do not show: only a rule that names every word can allow them.

Some programs are opaque always, some with certain words. The lists are about common programs. A program that is not
listed is what a person allows when they write its name and `*`.
"""

import re
from collections.abc import Sequence

from chorus.core.rules.shell_words import Command, Word, listed

_NUMBER_OF_LINES = re.compile(r"[0-9,$; ]*[pd]")
_SUBSTITUTION = re.compile(r"s([/|,#@])(?:(?!\1)[^\\\n])*\1(?:(?!\1)[^\\\n])*\1[gIip0-9]*")
SHELLS = listed("sh bash dash zsh ksh ash mksh")
_SHELL_FLAG = re.compile(r"-[eux]+")
_WITH_COMMANDS = re.compile(r"-[eux]*c")
_OPAQUE = listed(
    """
    at batch bwrap busybox chroot crontab doctl docker ed emacs entr ex expect firejail flock gdb gnome-terminal kubectl
    ld.so lldb ltrace man more less most nc ncat netcat newgrp nsenter nvim parallel perf pkexec podman proot ptyxis
    runuser screen script sg socat ssh sshpass strace su systemd-run telnet tmux toybox unshare valgrind vi view vim
    vimdiff watch xterm chpst dbus-run-session eatmydata fakeroot faketime numactl prlimit rlwrap setarch setpriv
    taskset chrt unbuffer xvfb-run tclsh wish php lua osascript
    """
)
_CODE_OPTIONS = re.compile(r"-[A-Za-z]*[ceErp]|-|--eval.*|--print.*|--require.*|--import.*|--loader.*")
"""Options of interpreters that are followed by code, or by a file that is run as well."""
_COMPARED = re.compile(r"-[a-z]{1,2}|!|\]|[0-9]+|\$[?#$]|\"?\$[?#$]\"?")
"""What may stand in a comparison of numbers."""
_INTERPRETER = re.compile(r"(?:python|pypy|perl|ruby|node|nodejs|deno|bun|lua|php)[0-9.]*")
_OPAQUE_WORDS = {
    "git": re.compile(
        r"-c|-c.*|--config-env.*|--exec-path.*|--upload-pack.*|--receive-pack.*|--exec.*|-x|-x.+|--ext-diff|--textconv"
        r"|--open-files-in-pager.*|-O.*|--extcmd.*|foreach|run|filter-branch|--tree-filter.*|daemon|ext::.*"
    ),
    "tar": re.compile(
        r"--to-command.*|--checkpoint-action.*|-I.*|--use-compress-program.*|-F.*|--info-script.*|--rsh.*"
    ),
    "rsync": re.compile(r"-e.*|--rsh.*|--rsync-path.*|-[a-zA-Z]*e"),
    "scp": re.compile(r"-S.*|-o.*"),
    "sftp": re.compile(r"-S.*|-o.*|-D.*"),
    "sort": re.compile(r"--compress-program.*"),
    "rg": re.compile(r"--pre.*|--hostname-bin.*"),
    "fd": re.compile(r"-x.*|-X.*|--exec.*"),
    "fdfind": re.compile(r"-x.*|-X.*|--exec.*"),
    "zip": re.compile(r"-T.*|--unzip-command.*"),
    "split": re.compile(r"--filter.*"),
    "curl": re.compile(r"-K.*|--config.*"),
    "wget": re.compile(r"--use-askpass.*|-e.*|--execute.*"),
    "make": re.compile(r"--eval.*|-f|-f.+|SHELL=.*"),
    "gmake": re.compile(r"--eval.*|-f|-f.+|SHELL=.*"),
    "mise": re.compile(r"exec|x|en|shell"),
    "npm": re.compile(r"exec|x|explore|--script-shell.*"),
    "printf": re.compile(r"-v.*", re.DOTALL),
    "awk": re.compile(r"-[fileE].*|--file.*|--include.*|--load.*", re.DOTALL),
}
"""Words that make a call opaque; the whole word must match."""
_OPAQUE_PARTS = {"printf": re.compile(r"%[^%sb]"), "awk": re.compile(r"system|getline|[|>@]")}
"""The same for parts of a word."""
for _other in ("gawk", "mawk", "nawk"):
    _OPAQUE_WORDS[_other], _OPAQUE_PARTS[_other] = _OPAQUE_WORDS["awk"], _OPAQUE_PARTS["awk"]


def is_opaque(name: str, command: Command) -> bool:
    """Returns whether a command may run or evaluate something that its words do not show."""
    words = command.words[1:]
    if name in _OPAQUE:
        return True
    if name in SHELLS:
        # With `-c` its commands are judged; a script could be any file.
        first = next((word.text for word in words if not _SHELL_FLAG.fullmatch(word.text)), "")
        return not _WITH_COMMANDS.fullmatch(first)
    if name == "sed":
        return not _is_plain_sed(words)
    if name in ("test", "["):
        return _is_odd_test(words)
    if name in ("exit", "return", "break", "continue"):
        return not all(word.is_fixed and word.text.isdecimal() for word in words)
    if _INTERPRETER.fullmatch(name):
        return _runs_code(words)
    pattern = _OPAQUE_WORDS.get(name)
    if pattern is None:
        return False
    part = _OPAQUE_PARTS.get(name)
    return any(
        pattern.fullmatch(word.text) or (part is not None and part.search(word.text))
        if word.is_fixed
        else not _is_value(name, before, word)
        for before, word in zip(command.words, words, strict=False)
    )


def _is_value(name: str, before: Word, word: Word) -> bool:
    """Returns whether a word that is not fixed cannot be an option: a message, or a pattern that begins with a name."""
    if word.kind == "glob":
        return word.text[0] not in "*?["
    is_message = name == "git" and before.is_fixed and before.text in ("-m", "-am", "--message")
    return is_message and not word.may_split


def _runs_code(words: Sequence[Word]) -> bool:
    """Returns whether an interpreter runs something else than a script or a module that is named."""
    for word in words:
        if not word.is_fixed or _CODE_OPTIONS.fullmatch(word.text):
            return True
        if word.text in ("-m", "eval", "exec", "repl", "x"):
            return word.text != "-m"
        if not word.text.startswith("-"):
            return False
    return True


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
