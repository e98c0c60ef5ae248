"""Lines of program output that state progress, one pattern for each form."""

import re
from collections.abc import Callable

from msgspec import Struct

from chorus.core.progress.counts import Count, count_of

_SURE, _LIKELY = 0.95, 0.85


class LineRule(Struct, frozen=True):
    """A form of line. The groups of the pattern are the completed and the total number, or a percentage."""

    step: str
    pattern: re.Pattern[str]
    read: Callable[[str, re.Match[str]], Count | None]


def _numbers(step: str, match: re.Match[str]) -> Count | None:
    return count_of(step, match[1], match[2], _SURE)


def _percent(step: str, match: re.Match[str]) -> Count | None:
    return count_of(step, match[1], 100, _LIKELY)


def _labelled(step: str, match: re.Match[str]) -> Count | None:
    """Returns the count of a line that names its own step before the numbers."""
    return count_of(match[1].strip() or step, match[2], match[3], _SURE)


def _labelled_percent(step: str, match: re.Match[str]) -> Count | None:
    return count_of(match[1].strip() or step, match[2], 100, _LIKELY)


_RESULT_WORDS = re.compile(
    r"(\d{1,9}) (?:failed|passed|skipped|xfailed|xpassed|errors?|todo|pending|ignored)\b", re.IGNORECASE
)


def _all_results(step: str, match: re.Match[str]) -> Count | None:
    """Returns the count of the last line of a run: all tests that ran."""
    done = sum(int(each) for each in _RESULT_WORDS.findall(match[0]))
    return count_of(step, done, done, _SURE) if done else None


def _one_number(step: str, match: re.Match[str]) -> Count | None:
    return count_of(step, match[1], match[1], _SURE)


def _done_so_far(step: str, match: re.Match[str]) -> Count | None:
    """Returns the count of a line that says how many are done, and not how many there are."""
    return count_of(match[1].strip() or step, match[2], None, _SURE)


def _of_sizes(step: str, match: re.Match[str]) -> Count | None:
    """Returns the percentage of a size of which a part is there."""
    whole = float(match[3])
    return count_of(match[1].strip() or step, int(100 * float(match[2]) / whole), 100, _LIKELY) if whole else None


def _of_same_unit(step: str, match: re.Match[str]) -> Count | None:
    """Returns the percentage of a size, if both are written in one unit."""
    whole = float(match["whole"])
    return count_of(step, int(100 * float(match["part"]) / whole), 100, _LIKELY) if whole else None


def _total_first(step: str, match: re.Match[str]) -> Count | None:
    return count_of(step, match[2], match[1], _SURE)


def _vitest(step: str, match: re.Match[str]) -> Count | None:
    done = sum(int(each) for each in _RESULT_WORDS.findall(match[1]))
    return count_of(step, done, match[2], _SURE)


_TESTS, _BUILD, _IMAGE, _GET = "Running tests", "Building", "Building image", "Downloading"
_N = r"(\d{1,9})"
_COMMAS = r"(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})"
_ACTIVITY = (
    r"(?!(?:Remain|Charg|Discharg|Rat|Warn|Sett)ing\b)([A-Za-z][a-z]{1,20}ing\b[^\n%.…:]{0,60})(?:\.\.\.|…|:)"
    r" {0,2}[\[(]? {0,2}(\d{1,3})(?:\.\d{1,3})? ?%[\])]?$"
)
"""A verb with its object, and how much of it is done: "Verifying checksums... 45%"."""
_CURL = (
    r"[ \d]{3} {1,2}[\d.]{1,6}[kMGTP]? {1,4}([1-9]\d{0,2}) {1,2}[\d.]{1,6}[kMGTP]?(?: {1,8}[\d.]{1,6}[kMGTP]?){4}"
    r"(?: {1,4}[\d:-]{5,12}){3} "
)
_SCP = (
    r"\S[^\n%]{0,200}?\s{1,80}(\d{1,3})%\s{1,8}[\d.]{1,9}[KMGT]?B?\s{1,8}[\d.]{1,9}[KMGT]?B/s"
    r"\s{1,8}[\d:-]{4,8}(?: ETA)?$"
)
_CHANGING = "Installing|Upgrading|Updating|Verifying|Erasing|Removing|Reinstalling|Downgrading"
_RULES: tuple[tuple[str, str, Callable[[str, re.Match[str]], Count | None]], ...] = (
    # pytest, its last line and its lines of results
    (_TESTS, r"={0,120}\s?(?:\d{1,9} [a-z]{4,10},? ){1,9}in \d{1,9}(?:\.\d{1,9})?s\b[^\n]{0,40}$", _all_results),
    (_TESTS, r"\S{1,200} (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)\b[^\n\[]{0,200}\[ {0,2}(\d{1,3})%\]$", _percent),
    (_TESTS, r"(?:\[gw\d{1,4}\] )?(?:\S{1,200}\.py )?[.FEsxXpP]{1,300} {0,200}\[ {0,2}(\d{1,3})%\]$", _percent),
    (_TESTS, r"\[gw\d{1,4}\] \[ {0,2}(\d{1,3})%\] (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)\b", _percent),
    (_TESTS, rf"Ran {_N} tests? (?:in|across) \d", _one_number),
    # jest, vitest, mocha, playwright, cypress
    (_TESTS, rf"Tests: {{1,12}}(?:\d{{1,9}} [a-z]{{4,10}}, ){{1,5}}{_N} total$", _one_number),
    (_TESTS, rf"\s{{0,8}}Tests {{1,4}}((?:\d{{1,9}} [a-z]{{4,10}}(?: \| )?){{1,5}}) \({_N}\)$", _vitest),
    (_TESTS, rf"\s{{0,8}}\[{_N}/{_N}\] \[[^\]\n]{{1,40}}\] › ", _numbers),
    (_TESTS, rf"\s{{0,4}}Running:\s{{1,4}}\S{{1,120}}\s{{1,80}}\({_N} of {_N}\)", _numbers),
    # rust, go, C, PHP, Ruby, .NET
    (
        _TESTS,
        rf"\s{{0,8}}(?:PASS|FAIL|SLOW|SIGABRT|SKIP)\s{{1,4}}\[[^\]\n]{{1,20}}\] \(\s{{0,6}}{_N}/{_N}\) ",
        _numbers,
    ),
    (_TESTS, rf"DONE {_N} tests?(?:, [^\n]{{1,60}})? in \d", _one_number),
    (_TESTS, rf"\s{{0,6}}{_N}/{_N} Test\s{{1,4}}#\d", _numbers),
    (_TESTS, rf"[.FEWRSIDN]{{1,120}}\s{{1,80}}{_N} / {_N} \(\s{{0,2}}\d{{1,3}}%\)$", _numbers),
    (_TESTS, rf"{_N} (?:examples?|specs?|tests?), \d{{1,9}} failures?\b", _one_number),
    (_TESTS, rf"{_N} tests?, \d{{1,9}} passed, \d{{1,9}} failed\b", _one_number),
    (_TESTS, rf"\s{{0,8}}Executed {_N} tests?, with \d", _one_number),
    (_TESTS, r"(?:ok|FAILED) \| \d{1,9} passed\b[^\n]{0,60} \(", _all_results),
    (
        _TESTS,
        rf"(?:Passed|Failed)!\s{{1,4}}- Failed:\s{{1,9}}\d{{1,9}}, [^\n]{{1,80}}Total:\s{{1,9}}{_N}\b",
        _one_number,
    ),
    (_BUILD, rf"\s{{0,12}}Building \[[=> ]{{1,80}}\] {_N}/{_N}\b", _numbers),
    # gradle, maven, ninja, make, bazel
    (_BUILD, r"<[=-]{3,40}> (\d{1,3})% (?:EXECUTING|CONFIGURING|INITIALIZING|WAITING)\b", _percent),
    (_BUILD, rf"(?:\[INFO\] )?Building [^\n\[]{{1,200}}\[{_N}/{_N}\]$", _numbers),
    (_BUILD, rf"\[\s{{0,6}}{_COMMAS} / {_COMMAS}\] \S", _numbers),
    (
        _BUILD,
        r"\[\s{0,2}(\d{1,3})%\] (?:Building|Linking|Built|Generating|Compiling|Automatic|Performing|Scanning)\b",
        _percent,
    ),
    (_TESTS, rf"{_N} tests? completed, \d{{1,9}} failed\b", _one_number),
    # pnpm
    # sbt
    (_TESTS, rf"\[(?:info|error)\] (?:Passed|Failed): Total {_N}, ", _one_number),
    ("Installing packages", rf"Progress: resolved {_N}, [^\n]{{0,80}}\badded {_N}\b", _total_first),
    # turborepo, GHC, karma, sphinx
    ("Running tasks", rf"\s{{0,4}}Tasks: {{1,8}}{_N} successful, {_N} total$", _numbers),
    (_BUILD, rf"\[ {{0,6}}{_N} of {_N}\] Compiling ", _numbers),
    (_TESTS, rf"[^\n():]{{1,60}}(?:\([^\n()]{{1,40}}\))?: Executed {_N} of {_N}\b", _numbers),
    ("Working", _ACTIVITY, _labelled_percent),
    ("Working", r"([a-z][a-z ]{3,60})\.\.\. {0,2}\[ {0,2}(\d{1,3})%\]", _labelled_percent),
    # docker
    (_IMAGE, rf"Step {_N}/{_N} : ", _numbers),
    (_IMAGE, rf"(?:#\d{{1,5}}|\s?=>(?: CACHED)?) \[(?:[\w. -]{{1,60}} | )?{_N}/{_N}\] \S", _numbers),
    (_IMAGE, rf"\[\+\] (?:Building|Running|Pulling)(?: \d{{1,9}}\.\d{{1,2}}s \(| ){_N}/{_N}\b", _numbers),
    # numbered lines
    (
        "Working",
        r"\[\s{0,6}(\d{1,9})/(\d{1,9})(?: \d{1,6}(?:\.\d{1,3})?/s(?:ec)?)?\] {1,3}(?=[🔍🚚🔗🔨📃✔*:\w])(?!of\b)",
        _numbers,
    ),
    ("Working", r"\(\s{0,6}(\d{1,9})/(\d{1,9})\) {1,3}(?=[A-Za-z_])(?!of\b|points?\b|stars?\b|votes?\b)", _numbers),
    ("Installing packages", rf"\s{{1,4}}(?:{_CHANGING})\s{{0,8}}: \S{{1,200}}\s{{1,80}}{_N}/{_N}$", _numbers),
    (_GET, rf"\({_N}/{_N}\): \S{{1,200}}\s{{1,20}}\d[\d.]{{0,6}}\s?[kMG]?B/s\b", _numbers),
    (_GET, r"(\d{1,3})% \[(?:Working|Waiting|Connecting|\d{1,4} )", _percent),
    # bars
    ("Working", rf"([^|\n%]{{0,60}}?):?\s{{0,4}}\d{{1,3}}%\|[^|\n]{{0,200}}\| {{0,2}}{_N}/{_N} \[", _labelled),
    ("Working", rf"\s{{0,6}}([A-Za-z]?){_N}/{_N} (?:\[[=>.━─#▓▒░█ -]{{3,80}}\]|[━╸╺─]{{3,80}})", _labelled),
    (
        "Working",
        rf"(?:remote: )?([A-Z][a-z]{{2,20}}(?: [A-Za-z]{{2,20}}){{1,3}}): {{1,3}}\d{{1,3}}% \({_N}/{_N}\)",
        _labelled,
    ),
    (
        "Working",
        r"([^|\n%]{0,60}?):?\s{0,4}(\d{1,3})%\|[^|\n]{0,200}\| {0,2}[\d.]{1,12}[kMGT]?i?B?/\d",
        _labelled_percent,
    ),
    (
        _GET,
        r"([^\n\[\]%|━]{0,60}?)\s{0,4}[━╸╺]{3,200}\s{1,80}(\d{1,9}(?:\.\d{1,3})?)/(\d{1,9}(?:\.\d{1,3})?)\s?[kMGT]i?B\b",
        _of_sizes,
    ),
    (
        "Working",
        rf"([^\n\[\]%|━]{{0,60}}?)\s{{0,4}}[━╸╺]{{3,200}}\s{{1,4}}{_N}/{_N}(?=\s|$)(?!\s?[kMGT]i?B)",
        _labelled,
    ),
    ("Working", r"([^\n\[\]%|━]{0,60}?)\s{0,4}[━╸╺]{3,200}\s{1,4}(\d{1,3})%", _labelled_percent),
    ("Working", rf"([^|\n%]{{0,60}}?):?\s{{0,2}}{_N}it \[\d{{1,4}}:\d\d, ", _done_so_far),
    ("Rebasing", rf"Rebasing \({_N}/{_N}\)", _numbers),
    (
        "Working",
        r"([^\n\[\]%|]{0,60}?):?\s{0,4}[\[|][#=>█▓▒░.━╸ -]{4,200}[\]|]\s{0,4}(\d{1,3})(?:\.\d{1,3})?%",
        _labelled_percent,
    ),
    (
        "Working",
        r"([^\n\[\]%|]{0,60}?):?\s{0,4}\d{0,0}(\d{1,3})(?:\.\d{1,3})?% ?[\[|][#=>█▓▒░.━╸ +-]{4,200}[\]|]",
        _labelled_percent,
    ),
    (_GET, r"Progress: \[\s{0,3}(\d{1,3})%\]", _percent),
    ("Copying", r"\s{0,20}[\d,.]{1,20}[KMGT]?\s{1,8}(\d{1,3})%\s{1,8}[\d.]{1,9}[kKMGT]?B/s\s", _percent),
    (
        "Bundling",
        r"(?:<s> )?(?:\[webpack\.Progress\] )?(\d{1,3})% (?:building|sealing|emitting|setup|active|chunk|module)\b",
        _percent,
    ),
    (_GET, r"[#=O -]{0,200}#[#=O -]{0,200} {1,80}(\d{1,3})\.\d%$", _percent),
    (_GET, _CURL, _percent),
    (
        "Copying",
        r"Completed (?P<part>\d{1,9}(?:\.\d{1,3})?) (?P<unit>[KMGT]i?B)/(?P<whole>\d{1,9}(?:\.\d{1,3})?) (?P=unit) \(",
        _of_same_unit,
    ),
    (
        "Copying",
        _SCP,
        _percent,
    ),
    (
        _GET,
        r"\s{0,8}[\d.]{1,9} [KMGT]?i?B / {1,8}[\d.]{1,9} [KMGT]?i?B \( {0,2}(\d{1,3}) %\)",
        _percent,
    ),
    ("Copying", rf"Transferred:\s{{1,20}}{_N} / {_N}, \d{{1,3}}%", _numbers),
    ("Copying", r"\[\d{1,3}(?::\d\d){1,2}\] {1,4}(\d{1,3})\.\d{1,2}% {1,4}\d", _percent),
    ("Working", rf"(Epoch|Step|Iter|Iteration|Batch|Round|Fold|Trial|Episode|Generation):? \[{_N}/{_N}\]", _labelled),
)
LINE_RULES = tuple(LineRule(step, re.compile(pattern), read) for step, pattern, read in _RULES)
PATTERNS = tuple(rule.pattern for rule in LINE_RULES)
"""The patterns alone, where the check of all patterns finds them."""


def read_summary(line: str) -> Count | None:
    """Returns the count in the last line of pytest, such as "2 failed, 18 passed in 1.20s"."""
    rule = LINE_RULES[0]
    match = rule.pattern.match(line)
    return rule.read(rule.step, match) if match else None
