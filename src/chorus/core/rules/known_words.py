"""Programs of which only known words are harmless: other options make a call opaque, other sub-commands must be named.

They take abbreviations, aliases and plug-ins, so a list of what is dangerous would never be complete.
"""

import re
from collections.abc import Sequence

from chorus.core.rules.shell_words import Word, listed

_GIT_FLAGS = listed(
    "-P -p --no-pager --paginate --no-optional-locks --no-replace-objects --literal-pathspecs --version"
)
_SUBCOMMANDS = {
    "git": listed(
        """
        add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap
        check-ref-format checkout checkout-index cherry cherry-pick clean clone commit commit-graph commit-tree
        count-objects describe diff diff-files diff-index diff-tree fetch fmt-merge-msg for-each-ref format-patch fsck
        gc grep hash-object init lfs log ls-files ls-remote ls-tree merge merge-base merge-file merge-tree mktree mv
        name-rev notes pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote repack rerere reset
        restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status stripspace
        submodule switch symbolic-ref tag update-index update-ref var verify-commit verify-pack verify-tag version
        whatchanged worktree write-tree
        """
    ),
    "npm": listed(
        """
        add audit ci dedupe explain fund i install install-test it list ll ls outdated pack ping prune query restart
        root run run-script search show start stop t test uninstall up update version view whoami why
        """
    ),
    "pnpm": listed("add audit exec i install licenses list ls outdated prune remove rm run start t test up update why"),
    "cargo": listed(
        """
        add b bench build c check clean clippy d doc fetch fix fmt generate-lockfile help init install locate-project
        login logout metadata new owner package pkgid publish r read-manifest remove report rm run rustc rustdoc search
        t test tree uninstall update vendor verify-project version yank
        """
    ),
    "bun": listed("add build i init install link outdated patch pm remove run test unlink update"),
}
"""What each of them does itself. Any other word is an alias, a plug-in, or another program."""
_GLOBAL_FLAGS = {
    "git": _GIT_FLAGS,
    "cargo": listed("-q -v -vv --quiet --verbose --locked --offline --frozen --version"),
}
_NPM_OPTIONS = re.compile(
    r"--?(?:all|dry-run|force|global|help|if-present|ignore-scripts|json|legacy-peer-deps|long|offline|omit=[a-z]+"
    r"|include=[a-z]+|no-(?:audit|fund|save|progress|color|optional)|package-lock-only|parseable|prefer-offline"
    r"|production|quiet|save|save-(?:dev|exact|optional|peer|prod)|silent|verbose|version|workspaces"
    r"|workspace=[@A-Za-z0-9_-][@A-Za-z0-9_./-]*|audit-level=[a-z]+|depth=[0-9]+|frozen-lockfile|immutable"
    r"|loglevel=[a-z]+|prod|recursive)|-[aDdEfghlOPpqrSsvW]|-ws"
)
_OPTIONS = {"npm": _NPM_OPTIONS, "pnpm": _NPM_OPTIONS, "yarn": _NPM_OPTIONS}
_MAKE_WORDS = re.compile(
    r"-[BbeikLnqRrSstvwdp]+|-[jl][0-9.]*|-O[a-z]*|--(?:always-make|debug(?:=[a-z]+)?|dry-run|help|ignore-errors"
    r"|jobs(?:=[0-9]+)?|just-print|keep-going|load-average(?:=[0-9.]+)?|no-builtin-rules|no-builtin-variables"
    r"|no-print-directory|output-sync(?:=[a-z]+)?|print-directory|question|quiet|recon|silent|stop|touch|trace|version"
    r"|warn-undefined-variables)|[A-Za-z_]\w*=[0-9]*|[\w./@%+][\w./@%+:-]*",
    re.ASCII,
)
_AWK_OPTIONS = re.compile(r"-F.*|-v.*|--(?:csv|posix|traditional|sandbox|re-interval|version|lint)", re.DOTALL)
_MERGING = listed("merge pull rebase cherry-pick revert")
_STRATEGIES = listed("ort octopus ours recursive resolve subtree theirs")
_STRATEGY = re.compile(r"-[aefiknpqrtuv]*s(.*)|--str[a-z]*(?:=(.*))?", re.DOTALL)
_REACHING = listed("archive clone fetch ls-remote pull push remote submodule")
_HELPER = re.compile(r"(?:--[a-z-]+=)?[A-Za-z0-9.+-]+::.*", re.DOTALL)
"""An address by which git starts a program of its own choice: `ext::…`."""
_TOOLCHAIN = re.compile(r"\+[A-Za-z0-9_.-]+")


def has_unknown_word(name: str, words: Sequence[Word]) -> bool:
    """Returns whether a word of a call is none of those that the program is known to treat harmlessly."""
    if name == "make":
        return not all(_is_made(word) for word in words)
    if name == "awk":
        return any(word.text.startswith("-") and not _AWK_OPTIONS.fullmatch(word.text) for word in words)
    own = _own_words(words) if name in _OPTIONS else words
    if name in _OPTIONS and not all(_OPTIONS[name].fullmatch(word.text) for word in own if word.text.startswith("-")):
        return True
    at = _subcommand_at(name, own)
    if at is None:
        return False
    if name == "npm":
        return own[at].text not in _SUBCOMMANDS[name]
    return name == "git" and _starts_helper(own[at].text, own[at + 1 :])


def words_to_name(name: str, words: Sequence[Word]) -> int:
    """Returns how many of its first words a rule must name: up to an alias, a plug-in or a script of the program."""
    at = _subcommand_at(name, words[1:])
    if at is None:
        return 0
    subcommand = words[at + 1].text
    if name == "bun" and subcommand == "run":
        return at + 3
    return 0 if subcommand in _SUBCOMMANDS[name] else at + 2


def _own_words(words: Sequence[Word]) -> Sequence[Word]:
    """Returns the words before `--`: what follows is for the script that is run."""
    return words[: next((at for at, word in enumerate(words) if word.text == "--"), len(words))]


def _subcommand_at(name: str, words: Sequence[Word]) -> int | None:
    """Returns which word is the sub-command of a program whose sub-commands are known; None if there is none."""
    if name not in _SUBCOMMANDS:
        return None
    flags = _GLOBAL_FLAGS.get(name)

    def is_before(word: Word) -> bool:
        if flags is None:
            return word.text.startswith("-")
        return word.text in flags or _TOOLCHAIN.fullmatch(word.text) is not None

    return next((at for at, word in enumerate(words) if not is_before(word)), None)


def _is_made(word: Word) -> bool:
    if word.kind == "glob":
        return word.text[0] not in "*?[-"
    return _MAKE_WORDS.fullmatch(word.text) is not None


def _starts_helper(subcommand: str, words: Sequence[Word]) -> bool:
    """Returns whether git would look for another program: one that merges, or one that reaches an address."""
    if subcommand in _REACHING and any(_HELPER.fullmatch(word.text) for word in words):
        return True
    if subcommand not in _MERGING:
        return False
    for at, word in enumerate(words):
        found = _STRATEGY.fullmatch(word.text)
        if found is None or word.text.startswith("--strategy-"):
            continue
        value = found.group(1) or found.group(2) or (words[at + 1].text if at + 1 < len(words) else "")
        if value not in _STRATEGIES:
            return True
    return False
