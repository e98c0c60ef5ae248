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
    taskset chrt unbuffer xvfb-run tclsh wish php lua osascript ansible gnuplot julia mariadb mysql nix nix-build
    nix-shell npx octave psql pnpx R Rscript tcpdump uvx
    """
)
_CODE_OPTIONS = re.compile(r"-[A-Za-z]*[ceErp]|-|--eval.*|--print.*|--require.*|--import.*|--loader.*")
"""Options of interpreters that are followed by code, or by a file that is run as well."""
_WITH_VALUE = ("-W", "-X")
"""Options of interpreters that are followed by a value and not by code."""
_COMPARED = re.compile(r"-[a-z]{1,2}|!|\]|[0-9]+|\$[?#$]|\"?\$[?#$]\"?")
"""What may stand in a comparison of numbers."""
_INTERPRETER = re.compile(r"(?:python|pypy|perl|ruby|node|nodejs|deno|bun|lua|php)[0-9.]*")
_OPAQUE_WORDS = {
    "git": re.compile(
        r"-c|-c.*|--config-env.*|--exec-path.*|--upload-pack.*|--receive-pack.*|--exec.*|-x|-x.+|--ext-diff|--textconv"
        r"|--open-files-in-pager.*|-O.*|--extcmd.*|foreach|run|filter-branch|--tree-filter.*|daemon|ext::.*"
        r"|-C|--git-dir.*|--work-tree.*|-u|config|difftool|mergetool|send-email|instaweb|web--browse|http-backend"
    ),
    "tar": re.compile(
        # The first word may hold options without a dash.
        r"--to-command.*|--checkpoint-action.*|--use-compress-program.*|--info-script.*|--rsh.*|\A-?[A-EGHJ-Za-z]*[IF].*"
    ),
    "rsync": re.compile(r"-e.*|--rsh.*|--rsync-path.*|-[a-zA-Z]*e|-M.*|--remote-option.*"),
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
    "make": re.compile(
        r"--eval.*|-f|-f.+|-C.*|-I.*|-E.*|--directory.*|\A[.A-Za-z_]\w*[:+?!]*=(?![0-9]*$).*", re.DOTALL
    ),
    "cc": re.compile(r"-wrapper|-fplugin.*|--?specs.*|-B.*|@.*|-Xclang|-load"),
    "cargo": re.compile(r"--config.*"),
    "cmake": re.compile(r"-P|-E|-C.*|-D.*"),
    "cpio": re.compile(r"--rsh-command.*"),
    "ctags": re.compile(r"--options.*|--_.*"),
    "exiftool": re.compile(r"-config"),
    "ghc": re.compile(r"-e.*|-pgm.*|-F|-fplugin.*"),
    "go": re.compile(r"--?(?:exec|toolexec|vettool)(?:=.*)?|env"),
    "gradle": re.compile(r"-[IbcpDP].*|--init-script.*|--build-file.*|--project-dir.*"),
    "hg": re.compile(r"--config.*|-R.*|--repository.*|--cwd.*"),
    "just": re.compile(r"--shell.*|-f.*|--justfile.*|-d.*|--working-directory.*|--command.*|-c"),
    "latex": re.compile(r"--?(?:shell-escape|enable-write18)|\\.*", re.DOTALL),
    "mvn": re.compile(r"-f.*|--file.*|exec:.*|-D.*|-s.*"),
    "ninja": re.compile(r"-[fCt].*"),
    "pandoc": re.compile(r"-[FLd].*|--(?:lua-)?filter.*|--pdf-engine.*|--defaults.*"),
    "sqlite3": re.compile(r"-cmd|-init"),
    "pnpm": re.compile(r"dlx|create|-c|--shell-mode"),
    "uv": re.compile(r"tool"),
    "yarn": re.compile(r"dlx|node|create"),
    "svn": re.compile(r"--(?:diff3?|editor|merge)-cmd.*|--config-(?:option|dir).*"),
    "mise": re.compile(r"exec|x|en|shell"),
    "npm": re.compile(r"exec|x|explore|--script-shell.*|--call.*|-c.*|config|c|set|init|create|innit"),
    "printf": re.compile(r"-v.*", re.DOTALL),
    "awk": re.compile(r"-[fileE].*|--file.*|--include.*|--load.*", re.DOTALL),
}
"""Words that make a call opaque; the whole word must match."""
_OPAQUE_PARTS = {
    "printf": re.compile(r"%[^%sb]"),
    "awk": re.compile(r"system|getline|[|>@]"),
    "sqlite3": re.compile(r"^[^\S\n]*\.|load_extension|writefile|edit\s*\(", re.IGNORECASE | re.MULTILINE),
}
"""The same for parts of a word."""
_LONG_OPTIONS = {
    "git": (
        "--config --config-env --exec --exec-path --ext-diff --extcmd --open-files-in-pager --output --receive-pack "
        "--template --textconv --upload-pack"
    ),
    "make": "--directory --eval --file --include-dir --makefile",
    "sort": "--compress-program",
    "split": "--filter",
    "tar": "--checkpoint-action --info-script --new-volume-script --rsh-command --to-command --use-compress-program",
    "wget": "--config --execute --use-askpass",
}
"""Options that make a call opaque and that may be shortened."""
_SHORTEST = 4
_SAME = {
    "awk": "gawk mawk nawk",
    "cc": "c++ clang clang++ g++ gcc",
    "latex": "lualatex pdflatex tex xelatex",
    "make": "gmake",
}
"""Programs that take the same words."""
_NAMES = {other: name for name, others in _SAME.items() for other in others.split()}


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
    name = _NAMES.get(name, name)
    pattern = _OPAQUE_WORDS.get(name)
    if pattern is None:
        return False
    part, options = _OPAQUE_PARTS.get(name), _LONG_OPTIONS.get(name, "").split()
    return any(
        pattern.fullmatch(word.text) or (part is not None and part.search(word.text)) or _shortens(word.text, options)
        if word.is_fixed
        else not _is_value(name, before, word)
        for before, word in zip(command.words, words, strict=False)
    )


def _shortens(word: str, options: Sequence[str]) -> bool:
    """Returns whether a word is one of the options, or the beginning of one."""
    given = word.partition("=")[0]
    return len(given) >= _SHORTEST and any(option.startswith(given) for option in options)


def _is_value(name: str, before: Word, word: Word) -> bool:
    """Returns whether a word that is not fixed cannot be an option: a message, or a pattern that begins with a name."""
    if word.kind == "glob":
        return word.text[0] not in "*?["
    is_message = name == "git" and before.is_fixed and before.text in ("-m", "-am", "--message")
    return is_message and not word.may_split


def _runs_code(words: Sequence[Word]) -> bool:
    """Returns whether an interpreter runs something else than a script or a module that is named."""
    is_value = False
    for word in words:
        if not word.is_fixed or _CODE_OPTIONS.fullmatch(word.text):
            return True
        if is_value or word.text in _WITH_VALUE:
            is_value = not is_value
            continue
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
