"""Words that make a program run something else: options, sub-commands and texts of common programs.

A program that is not listed is what a person allows when they write its name and `*`.
"""

import re
from collections.abc import Sequence

from chorus.core.rules.known_words import has_unknown_word
from chorus.core.rules.shell_words import Command, Word

_OPAQUE_WORDS = {
    "git": re.compile(
        r"-c.*|-[ifnqkprv]*x.*|-[ivnwrhHlLzpWEGFPqaI]*O.*|-C|-[lnqsv46]*u.*|--(?:config-env|exec|upload-pack|receive-pack"
        r"|open-files-in-pager|extcmd|tree-filter|git-dir|work-tree).*|--ext-diff|--textconv|ext::.*|remote-.*|cvs.*"
        r"|credential.*|citool|config|daemon|difftool|fast-import|filter-branch|filter-repo|for-each-repo|foreach|gui|help"
        r"|hook|http-backend|imap-send|instaweb|maintenance|merge-index|mergetool|p4|receive-pack|run|send-email|shell|svn|upload-pack|view|visualize"
        r"|web--browse"
    ),
    "tar": re.compile(
        # The first word may hold options without a dash.
        r"--to-command.*|--checkpoint-action.*|--use-compress-program.*|--info-script.*|--r(?:sh|mt).*"
        # `-T` reads a file that may contain options; an archive with a colon is on another machine.
        r"|--files-from.*|\A-?[0-9A-EGHJ-SU-Za-z]*[IFT].*|\A-?[^/:-][^/:]*:.*|\A-[a-eg-zA-Z]*f[^/:]*:.*"
    ),
    "rsync": re.compile(r"--rsh.*|--rsync-path.*|-[a-zA-Z0-9]*[eM].*|--remote-option.*"),
    "scp": re.compile(r"-[a-zA-Z0-9]*[SoFDJ].*"),
    "sort": re.compile(r"--compress-program.*"),
    "rg": re.compile(r"--pre.*|--hostname-bin.*"),
    "fd": re.compile(r"-[a-zA-Z0-9]*[xX].*|--exec.*"),
    "zip": re.compile(r"-[A-Za-z]*T.*|--unzip-command.*"),
    "split": re.compile(r"--filter.*"),
    "curl": re.compile(r"-[a-zA-Z0-9#:]*K.*|--config.*|--engine.*"),
    "wget": re.compile(r"--use-askpass.*|-[a-zA-Z]*e.*|--execute.*"),
    "cc": re.compile(
        r"-wrapper|-fplugin.*|-fpass-plugin.*|-fuse-ld.*|--ld-path.*|--?specs.*|-B.*|@.*|-load|-W[lpa],.*"
        r"|-X(?:assembler|clang|linker|preprocessor).*|--(?:config|gcc-toolchain|sysroot|target).*|-no-integrated-cpp"
        r"|-iplugindir.*|-ccc.*|-target|-fno-integrated-as|-[bV].*"
    ),
    "cargo": re.compile(r"--config.*|--manifest-path.*|--codegen.*|-C.*|-Z.*"),
    "cmake": re.compile(r"-P|-E|-C.*|-D.*"),
    "cpio": re.compile(r"--rsh-command.*"),
    "ctags": re.compile(r"--options.*|--_.*"),
    "ghc": re.compile(r"-e.*|-pgm.*|-F|-fplugin.*"),
    "go": re.compile(r"--?(?:exec|toolexec|vettool|overlay|C)(?:=.*)?|env"),
    "gradle": re.compile(r"-[IbcpDP].*|--init-script.*|--build-file.*|--project-dir.*"),
    "hg": re.compile(r"--config.*|-R.*|--repository.*|--cwd.*"),
    "just": re.compile(r"--shell.*|-f.*|--justfile.*|-d.*|--working-directory.*|--command.*|-c"),
    "latex": re.compile(r"--?(?:shell-escape|enable-write18)|\\.*", re.DOTALL),
    "mvn": re.compile(r"-f.*|--file.*|exec:.*|-D.*|-s.*"),
    "ninja": re.compile(r"-[fCt].*"),
    "pandoc": re.compile(r"-[FLd].*|--(?:lua-)?filter.*|--pdf-engine.*|--defaults.*"),
    "sqlite3": re.compile(r"-cmd|-init"),
    "asdf": re.compile(r"exec|shell"),
    "bat": re.compile(r"--diff.*"),
    "bazel": re.compile(r"run|--run_under.*"),
    "conda": re.compile(r"run|--python.*"),
    "composer": re.compile(r"exec|run.*"),
    "cowsay": re.compile(r"-[a-zA-Z]*f.*"),
    "dmsetup": re.compile(r"--exec.*"),
    "dotnet": re.compile(r"exec|fsi|tool"),
    "enscript": re.compile(r"-[A-Za-z]*I.*|--filter.*"),
    "exiftool": re.compile(r"-config|-if.*|-@"),
    "fzf": re.compile(r"--(?:bind|preview|listen).*"),
    "gcloud": re.compile(r"ssh|scp"),
    "gem": re.compile(r"open|exec"),
    "gh": re.compile(r"alias|extension|ext|exec|browse|codespace|cs|-e|--web|-w"),
    "helm": re.compile(r"--post-renderer.*|plugin|--kube.*"),
    "ip": re.compile(r"netns|vrf|-b.*|-force"),
    "latexmk": re.compile(r"-e|-r|-[a-z]*latex=.*|-pretex.*|-usepretex.*", re.DOTALL),
    "nmap": re.compile(r"--script.*|--datadir.*"),
    "op": re.compile(r"run|plugin"),
    "openssl": re.compile(r"-engine|-provider.*|-config|engine"),
    "pip": re.compile(r"--python.*"),
    "pipx": re.compile(r"run|runpip"),
    "pixi": re.compile(r"run|exec|shell"),
    "pidstat": re.compile(r"-[a-zA-Z]*e.*"),
    "pyenv": re.compile(r"exec|shell"),
    "rake": re.compile(r"-[A-Za-z]*[efprEFR].*|--(?:execute|rakefile|require|libdir).*", re.DOTALL),
    "rpm": re.compile(r"-[a-zA-Z]*E.*|--(?:eval|pipe|define|D|load|macros|rcfile).*", re.DOTALL),
    "scrot": re.compile(r"-[a-zA-Z]*e.*|--exec.*"),
    "snap": re.compile(r"run"),
    "task": re.compile(r"exec|-[td].*|--taskfile.*|--dir.*"),
    "binutils": re.compile(r"--?plugin.*|@.*"),
    "gs": re.compile(r"-c|-d(?:NOSAFER|DELAYSAFER).*|@.*"),
    "install": re.compile(r"--strip-program.*"),
    "magick": re.compile(r"[|@].*|\A[A-Za-z0-9-]+:.*", re.DOTALL),
    "mypy": re.compile(r"--pyth.*"),
    "apt": re.compile(r"-[abd-np-z]*[oc].*|--(?:option|config).*|changelog|edit-sources|source|build-dep"),
    "dpkg": re.compile(r"--(?:pre-invoke|post-invoke|status-logger|admindir|root|instdir).*"),
    "rustc": re.compile(r"-C.*|--codegen.*|-Z.*|@.*|--sysroot.*"),
    "systemctl": re.compile(r"edit|-H.*|--host.*|-M.*|--machine.*"),
    "troff": re.compile(r"-[a-zA-Z]*U.*"),
    "virtualenv": re.compile(r"-p.*|--python.*"),
    "pnpm": re.compile(r"dlx|create|-c|--shell-mode|-C.*|--dir.*|--prefix.*"),
    "uv": re.compile(r"tool|-p.*|--(?:python|directory|project).*"),
    "yarn": re.compile(r"dlx|node|create|--cwd.*"),
    "svn": re.compile(r"--(?:diff3?|editor|merge)-cmd.*|--config-(?:option|dir).*"),
    "mise": re.compile(r"exec|x|en|shell"),
    "npm": re.compile(r"-[cC].*"),
    "printf": re.compile(r"-v.*", re.DOTALL),
    "awk": re.compile(r"-[fileE].*|--file.*|--include.*|--load.*", re.DOTALL),
}
"""Words that make a call opaque; the whole word must match."""
_OPAQUE_PARTS = {
    "exiftool": re.compile(r"[$<]"),
    "gs": re.compile(r"%pipe|\|"),
    "go": re.compile(r"extld"),
    "printf": re.compile(r"%[^%sb]"),
    "awk": re.compile(r"system|getline|[|>@]"),
    "sqlite3": re.compile(r"^[^\S\n]*\.|load_extension|writefile|edit\s*\(", re.IGNORECASE | re.MULTILINE),
}
"""The same for parts of a word."""
_LONG_OPTIONS = {
    "awk": "--debug --dump-variables --exec --file --include --load --pretty-print --profile --source",
    "git": (
        "--config --config-env --exec --exec-path --ext-diff --extcmd --open-files-in-pager --output --receive-pack "
        "--template --textconv --upload-pack"
    ),
    "curl": "--config --engine",
    "install": "--strip-program",
    "nmap": "--script --datadir",
    "pip": "--editor --python",
    "pylint": "--init-hook",
    "sort": "--compress-program",
    "split": "--filter",
    "tar": (
        "--checkpoint-action --files-from --info-script --new-volume-script --rmt-command --rsh-command --to-command "
        "--use-compress-program"
    ),
    "wget": "--config --execute --use-askpass",
    "zip": "--unzip-command",
}
"""Options that make a call opaque and that may be shortened."""
_SHORTEST = 3
_DATABASE_AND_STATEMENT = 2
_SAME = {
    "apt": "apt-get aptitude apt-cache",
    "binutils": "ar gold ld ld.bfd ld.gold ld.lld lld nm objdump ranlib strip",
    "gs": "ps2pdf ps2ps pdf2ps eps2eps",
    "magick": "animate compare composite conjure convert display identify import mogrify montage stream",
    "awk": "gawk mawk nawk original-awk",
    "bat": "batcat",
    "fd": "fdfind",
    "conda": "mamba micromamba",
    "cc": "c++ clang clang++ g++ gcc",
    "cowsay": "cowthink",
    "latex": "lualatex luatex pdflatex pdftex tex xelatex xetex",
    "make": "bmake gmake",
    "pip": "pip3",
    "pyenv": "nodenv rbenv",
    "rpm": "rpmbuild rpmdb rpmquery rpmspec rpmverify",
    "sed": "gsed",
    "tar": "bsdtar gtar",
    "troff": "groff nroff pic",
}
"""Programs that take the same words."""
_NAMES = {other: name for name, others in _SAME.items() for other in others.split()}


def has_running_word(name: str, command: Command) -> bool:
    """Returns whether a command has such a word, or one that may become one when it runs."""
    name = _NAMES.get(name, name)
    if has_unknown_word(name, command.words[1:]):
        return True
    if name == "sqlite3" and sum(not word.text.startswith("-") for word in command.words[1:]) < _DATABASE_AND_STATEMENT:
        # It would read its commands from another program.
        return True
    pattern, part, options = _OPAQUE_WORDS.get(name), _OPAQUE_PARTS.get(name), _LONG_OPTIONS.get(name, "").split()
    if pattern is None and not options:
        return False

    def is_one(text: str) -> bool:
        # A line feed at the end of an option does not change what it does.
        is_whole = pattern is not None and pattern.fullmatch(text.replace("\n", " ")) is not None
        return is_whole or (part is not None and part.search(text) is not None) or _shortens(text, options)

    return any(
        is_one(word.text) if word.is_fixed else not _is_value(name, before, word)
        for before, word in zip(command.words, command.words[1:], strict=False)
    )


def _shortens(word: str, options: Sequence[str]) -> bool:
    """Returns whether a word is one of the options, or the beginning of one."""
    given = word.partition("=")[0]
    return len(given) >= _SHORTEST and any(option.startswith(given) for option in options)


def _is_value(name: str, before: Word, word: Word) -> bool:
    """Returns whether a word that is not fixed cannot be an option: a message, or a pattern that begins with a name."""
    if word.kind == "glob":
        return word.text[0] not in "*?[-"
    is_message = name == "git" and before.is_fixed and before.text in ("-m", "-am", "--message")
    return is_message and not word.may_split
