"""Words that make a program run something else: options, sub-commands and texts of common programs.

A program that is not listed is what a person allows when they write its name and `*`.
"""

import re
from collections.abc import Sequence

from chorus.core.rules.shell_words import Command, Word

_OPAQUE_WORDS = {
    "git": re.compile(
        r"-c.*|-[ifnqkprv]*x.*|-[ivnwrhHlLzpWEGFPqaI]*O.*|-C|-[lnqsv46]*u.*|--(?:config-env|exec|upload-pack|receive-pack"
        r"|open-files-in-pager|extcmd|tree-filter|git-dir|work-tree).*|--ext-diff|--textconv|ext::.*|remote-.*|cvs.*"
        r"|credential.*|citool|config|daemon|difftool|fast-import|filter-branch|filter-repo|foreach|gui|http-backend"
        r"|imap-send|instaweb|maintenance|mergetool|p4|receive-pack|run|send-email|shell|svn|upload-pack|web--browse"
    ),
    "tar": re.compile(
        # The first word may hold options without a dash.
        r"--to-command.*|--checkpoint-action.*|--use-compress-program.*|--info-script.*|--r(?:sh|mt).*"
        r"|\A-?[0-9A-EGHJ-Za-z]*[IF].*"
    ),
    "rsync": re.compile(r"--rsh.*|--rsync-path.*|-[a-zA-Z0-9]*[eM].*|--remote-option.*"),
    "scp": re.compile(r"-[a-zA-Z0-9]*[SoFDJ].*"),
    "sftp": re.compile(r"-[a-zA-Z0-9]*[SoFDJbs].*"),
    "sort": re.compile(r"--compress-program.*"),
    "rg": re.compile(r"--pre.*|--hostname-bin.*"),
    "fd": re.compile(r"-[a-zA-Z0-9]*[xX].*|--exec.*"),
    "zip": re.compile(r"-[A-Za-z]*T.*|--unzip-command.*"),
    "split": re.compile(r"--filter.*"),
    "curl": re.compile(r"-[a-zA-Z0-9#:]*K.*|--config.*"),
    "wget": re.compile(r"--use-askpass.*|-[a-zA-Z]*e.*|--execute.*"),
    "make": re.compile(r"-[a-zA-Z0-9]*[fCIE].*|--(?:eval|directory).*|\A[.A-Za-z_]\w*[:+?!]*=(?![0-9]*$).*", re.DOTALL),
    "cc": re.compile(
        r"-wrapper|-fplugin.*|-fpass-plugin.*|-fuse-ld.*|--ld-path.*|--?specs.*|-B.*|@.*|-load|-W[lpa],.*"
        r"|-X(?:assembler|clang|linker|preprocessor).*|--(?:gcc-toolchain|sysroot).*|-no-integrated-cpp"
    ),
    "cargo": re.compile(r"--config.*|--manifest-path.*|-C.*|-Z.*|\A\+[^/]*/.*"),
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
    "troff": re.compile(r"-[a-zA-Z]*U.*"),
    "virtualenv": re.compile(r"-p.*|--python.*"),
    "pnpm": re.compile(r"dlx|create|-c|--shell-mode|-C.*|--dir.*|--prefix.*"),
    "uv": re.compile(r"tool|-p.*|--(?:python|directory|project).*"),
    "yarn": re.compile(r"dlx|node|create|--cwd.*"),
    "svn": re.compile(r"--(?:diff3?|editor|merge)-cmd.*|--config-(?:option|dir).*"),
    "mise": re.compile(r"exec|x|en|shell"),
    "npm": re.compile(
        r"exec|x|explore|--(?:script-shell|call|prefix|node-options|userconfig|globalconfig).*|-[cC].*|config|c|set|init"
        r"|create|innit"
    ),
    "printf": re.compile(r"-v.*", re.DOTALL),
    "awk": re.compile(r"-[fileE].*|--file.*|--include.*|--load.*", re.DOTALL),
}
"""Words that make a call opaque; the whole word must match."""
_OPAQUE_PARTS = {
    "exiftool": re.compile(r"[$<]"),
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
    "make": "--directory --eval --file --include-dir --makefile",
    "sort": "--compress-program",
    "split": "--filter",
    "tar": (
        "--checkpoint-action --info-script --new-volume-script --rmt-command --rsh-command --to-command "
        "--use-compress-program"
    ),
    "wget": "--config --execute --use-askpass",
    "zip": "--unzip-command",
}
"""Options that make a call opaque and that may be shortened."""
_SHORTEST = 3
_SAME = {
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
    pattern = _OPAQUE_WORDS.get(name)
    if pattern is None:
        return False
    part, options = _OPAQUE_PARTS.get(name), _LONG_OPTIONS.get(name, "").split()

    def is_one(text: str) -> bool:
        # A line feed at the end of an option does not change what it does.
        is_whole = pattern.fullmatch(text.replace("\n", " ")) is not None
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
