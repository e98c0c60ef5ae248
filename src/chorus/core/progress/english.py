"""English sentences about progress."""

import re

from chorus.core.progress.counts import Count, count_of, last_match
from chorus.core.progress.numbers import NUMBER as _N
from chorus.core.progress.numbers import OF as _OF
from chorus.core.progress.numbers import OF_IN_BRACKETS as _OF_IN_BRACKETS
from chorus.core.progress.numbers import ORDINALS as _ORDINALS
from chorus.core.progress.numbers import VALUES as _VALUES
from chorus.core.progress.numbers import WORD_OR_NUMBER as _W

_STEPS = (
    "step|phase|stage|task|sub-?task|milestone|batch|iteration|round|part|todo|to-do|item|chunk|slice|pass|checkpoint|"
    "subtask|ticket|wave"
)
_THINGS = (
    "test|test case|test file|test suite|spec|suite|file|module|package|component|migration|image|page|record|row|"
    "entry|endpoint|route|service|error|warning|issue|bug|fix|commit|change|patch|handler|function|class|method|"
    "document|chapter|section|table|query|job|shard|folder|directory|repository|repo|project|crate|target|container|"
    "image|layer|screen|view|hook|plugin|locale|language|translation|string|key|fixture|snapshot|benchmark|dataset|"
    "sample|epoch|frame|video|sub-?agent|agent|worker|scenario|example|case|notebook|model|schema|template|script|"
    "command|check|rule|finding|comment|thread|pull request|pr|block|group|set|region|node|host|server|tenant|user|"
    "account|message|email|event|field|column|line"
)
_STATED = re.compile(rf"\b({_STEPS})s?\s(?:#|no\.\s|number\s)?{_W}(?:{_OF}|{_OF_IN_BRACKETS}){_W}\b", re.IGNORECASE)
_COUNTED = re.compile(rf"\b({_THINGS})\s(?:#|no\.\s|number\s)?{_W}{_OF}{_W}\b", re.IGNORECASE)
_DOING = re.compile(
    rf"\b([A-Z]?[a-z]{{2,20}}ing)\s(?:(?:out|up|down|in|off|over)\s)?(?:the\s|on\s|with\s)?"
    rf"(?!(?:versions?|figure|slide|option|argument|attempt|retry|day|type|number|question|line|volume)\s)"
    rf"([a-z][a-z-]{{2,20}})\s#?{_W}{_OF}{_W}\b"
)
_HABIT = re.compile(r"\b(?:every|each|always|whenever|usually|often)\b", re.IGNORECASE)
_COUNTED_NOW = re.compile(
    r"\s(?:now|next|running|(?:is\s)?(?:now\s|currently\s)?(?:in\sprogress|under\s?way|running|next))\b", re.IGNORECASE
)
_AT = re.compile(
    rf"(?:^progress(?:\sso\sfar)?:\s{_N}{_OF}{_N}\b(?=\s?(?:[.…:,;()–—]|$|[a-z]))(?!\s?%)|\b(?:now|currently)\sat\s{_N}{_OF}{_N}\b(?!\s?%)|"
    rf"\b(?:now|currently)\s(?:on\s)?{_N}{_OF}{_N}"
    rf"(?=\s?(?:[.…:,;()–—]|$))|\b(?:starting|on\sto|next|next\sis|continuing\swith)\s"
    rf"{_N}\s(?:out\s)?of\s{_N}(?=\s?(?:[.…:,;()–—]|$)))",
    re.IGNORECASE,
)
_AMONG = re.compile(
    rf"\b([A-Z]?[a-z]{{2,20}}ing)\s(?:the\s|about\s)?{_W}{_OF}{_W}\s(?:\w{{2,20}}\s)?({_THINGS}|{_STEPS})e?s\b",
    re.IGNORECASE,
)
_FINISHED = re.compile(
    rf"\b(?:finished|completed|converted|migrated|translated|processed|updated|ported|fixed|reviewed|handled|covered|"
    rf"checked|rewritten|rewrote|uploaded|downloaded|imported|indexed|copied|done\swith|through|got\sthrough)\s"
    rf"(?:about\s|all\s)?{_W}(?:{_OF}|\s[a-z-]{{2,20}}\sout\sof\s){_W}\b(?!\s?%)|"
    rf"^(?:(?:i(?:['’]ve|\shave)|so\sfar)\s)?(?:now\s|already\s)?(?:deployed|installed|compiled|built|published|merged|"
    rf"synced|exported|generated|formatted|resolved|moved|renamed|refactored|extracted|verified|upgraded|tested|wrote|"
    rf"written|loaded|created|parsed|scanned|analy[sz]ed|seeded|rendered)\s{_W}{_OF}{_W}\b(?!\s?%)",
    re.IGNORECASE,
)
_DONE_WORDS = (
    "done|complete|completed|finished|converted|translated|migrated|processed|updated|ported|fixed|reviewed|handled|"
    "covered|uploaded|downloaded|imported|indexed|copied|rewritten|ready|in place|so far|through|checked|written|"
    "green so far|passing so far|passed so far|moved|renamed|removed|replaced|refactored|extracted|"
    "annotated|verified|cleaned up|upgraded|deployed|installed|compiled|built|published|merged|synced|exported|"
    "generated|formatted|resolved|run"
)
_DONE = re.compile(
    rf"\b{_W}{_OF}{_W}\s(?:(?!we\s|they\s|be\s|(?:replica|pod|node|server|host|instance|member|broker|machine)s\s)[\w-]{{2,20}}\s){{0,3}}?"
    rf"(?:(?:are|is|have been|has been)\s)?(?:now\s|already\s|all\s)?(?:{_DONE_WORDS})\b",
    re.IGNORECASE,
)
_RANKED = re.compile(
    rf"\bthe\s({'|'.join(_ORDINALS)}|last|final|\d{{1,6}}(?:st|nd|rd|th))\s(?:\w{{2,20}}\s)?(?:out\s)?of\s(?:the\s|these\s)?{_W}"
    rf"(?:\s((?:[\w-]{{2,20}}\s){{0,2}}[\w-]{{2,20}}))?",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"[\[(](\d{1,9})\s?/\s?(\d{1,9})[\])]\s{1,3}(?!of\b)([A-Z`\"'“][^\n]{2,200})")
_PC = r"\s?(?:%|per\s?cent\b)"
_PERCENT = re.compile(
    r"\b(?:(progress)(?:\s(?:is|so far))?\s?(?:at\s|:\s?|is\s)?|([a-z]{2,20}ing)(?:\s\w{2,20}){0,3}\sis\s(?:now\s)?"
    r"(?:at\s)?|((?:up|down)load|migration|import|export|build|backfill|re-?index|conversion|sync|copy|restore|backup|"
    r"install|job)\s(?:is|stands)\s(?:now\s|currently\s)?at\s)(?:about\s|around\s|roughly\s)?(\d{1,3})"
    rf"{_PC}(?!\s(?:coverage|cpu|memory|of\s(?:its|the)\slimit))",
    re.IGNORECASE,
)
_PERCENT_DONE = re.compile(
    rf"\b(\d{{1,3}}){_PC}\s(?:of\s(?:the\s|all\s)?(?:\w{{2,20}}\s){{1,3}}(?:is|are|has\sbeen|have\sbeen)\s)?(?:now\s|already\s)?"
    r"(?:done|complete|completed|finished|through|processed|migrated|converted|translated|indexed|uploaded|downloaded|"
    r"copied|imported)\b",
    re.IGNORECASE,
)
_PERCENT_FINISHED = re.compile(
    rf"^(?:(?:i(?:['’]ve|\shave)|so\sfar)[,\s]\s?)?(?:now\s|already\s)?(?:completed|finished|converted|migrated|processed|translated|"
    rf"ported|reviewed|imported|indexed|uploaded|downloaded|copied|done\swith)\s(?:about\s|around\s|roughly\s)?(\d{{1,3}}){_PC}"
    r"\sof\s(?:the|all|these)\b",
    re.IGNORECASE,
)
_PERCENT_OF_WORK = re.compile(
    r"^([A-Z][a-z]{2,20}ing\s(?:[\w./-]{1,40}\s){0,3}"
    r"(?!(?:accuracy|loss|coverage|speed|rate|ratio|share|time|costs?|usage|load|errors?|score|precision|recall|efficiency|"
    rf"values|margin|budget|quota|capacity|level)\b)[\w./-]{{1,40}}):\s(?:about\s|around\s)?(\d{{1,3}}){_PC}(?:\sdone|\scomplete)?\s?\.{{0,3}}$"
)
"""A verb, its object, and how much of it is done: "Downloading model weights: 83%"."""
_NOT_VERBS = frozenset((
    "thing", "string", "setting", "during", "nothing", "something", "everything", "warning", "king", "missing",
    "failing", "remaining", "pending", "skipping", "waiting", "rating", "needing", "lacking", "using", "including",
    "excluding", "leaving", "affecting", "having", "being", "breaking", "concerning", "regarding", "covering",
    "losing", "depending", "according", "involving", "following", "spending", "matching", "showing", "seeing",
    "meaning",
))  # fmt: skip
_CUE = re.compile(
    r"\b(?:now|next|currently|continu\w{1,4}|on to|moving|starting|start|begin|beginning|let me|i'm|i am|i’m|i'll|"
    r"going|proceed\w{0,4}|working|still|again|this is)\b|"
    rf"(?<!\bthe\s)(?<!\ba\s)\b(?!(?:{'|'.join(sorted(_NOT_VERBS))})\b)[a-z]{{2,20}}ing\s"
    r"(?:the\s|on\s|with\s|through\s|up\s|\w{2,20}\s(?:in|of|for)\s)?(?:[a-z-]{2,20}\s)?$",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:if|would|could|should|might|may|when|whenever|as soon as|once|until|unless|"
    r"before|yesterday|previous\w{0,2}|earlier|last|ago|next\stime|another\stime|"
    r"according|report\w{0,3}|says?|said|told|wrote|shows?|showed|shown|prints?|printed|printing|logs?|logged|output|"
    r"example|e\.g|like|readme|docs?|documentation|guide|manual|crash\w{0,3}|fail\w{0,3}|died|stopped|hung|stuck|"
    r"attempt\w{0,1}|retry|retries|retrying|option|your|you|they|he|she|his|her|their|users?|colleague|ci|someone|"
    r"team|teammate|co-?worker|boss|friend|customer|manager|vendor|nobody|promised?|"
    r"somebody|used to|had|was|were|will|want|wants|depend\w{1,3}|suppose|imagine|assume|instead|skip\w{0,4}|without|"
    r"rating|rated|score\w{0,1}|average|between|except|why|how|whether|cannot|can't|can|not|never|no|only|maybe|perhaps|possibly|probably|expects?|"
    r"expected|means?|meaning|called|named|titled|labell?ed|reads|see|returns?|mentions?|contains?|describes?|covers|"
    r"allows|requires?|recommends?|defines?)\b",
    re.IGNORECASE,
)
_DOUBT_OF_DONE = re.compile(
    r"\b(?:if|would|could|should|might|when|whenever|as soon as|once|until|unless|"
    r"yesterday|last|ago|according|report\w{0,3}|says?|said|"
    r"told|wrote|shows?|showed|logs?|example|e\.g|readme|docs?|your|they|he|she|his|her|their|users?|colleague|ci|"
    r"team|teammate|co-?worker|boss|friend|customer|manager|someone|somebody|nobody|"
    r"previous\w{0,2}|will|want|imagine|assume|only|not|never|every|each|usually|typically|often|want\w{0,1}|need\w{0,2})\b",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"['’]?s?\s?(?:fail|failed|fails|failing|crash\w{0,3}|died|hung|would|could|should|might|was|were|had|of\sthe\s"
    r"(?:manual|book|series|rfc|spec)|of\san?|in\sthat|has\sa|needs?|when|if|unless|"
    r"is\s(?:\w{2,20}er|more|less|better|worse|in|why|how|wrong|broken|red|optional|about|the|a|an|skipped|flaky|missing|disabled|ignored|slow|unreachable)|users?|"
    rf"times?|cases?|stars?|points?|(?!(?:{_THINGS})e?s\b|(?:is|has|as|its|this|across|plus|versus|starts|begins|runs|"
    r"passes|succeeds|finishes|completes|ends|works|progress)\b)[a-z]{2,20}s)\b",
    re.IGNORECASE,
)
"""What follows a number and makes it a description. A verb in the third person does: “step 2 of 3 explains …”."""
_PAST = re.compile(r"\s(?:was|were|had)\s")
_VERB = re.compile(r"\b([A-Za-z]{2,20}ing)\b")
_AFTER_COLON = re.compile(r"\s{0,2}[*_)]{0,3}\s{0,2}(?:[:：]|[–—-]\s|,\s)\s{0,3}(\S.{0,200})")
_STRONG, _FAIR, _WEAK = 0.8, 0.65, 0.5


def read(sentence: str) -> Count | None:
    """Returns what an English sentence says about progress."""
    bracketed = _BRACKETED.match(sentence)
    if bracketed:
        return count_of(bracketed[3], bracketed[1], bracketed[2], _STRONG)
    for reader in (_stated, _counted, _doing, _at, _among, _ranked, _finished, _done, _percent):
        if (count := reader(sentence)) is not None:
            return count
    return None


def is_description(rest: str) -> bool:
    """Returns whether what follows “step 2 of 3” makes it a description and no progress."""
    return _DENIED_AFTER.match(rest) is not None


def _stated(sentence: str) -> Count | None:
    match = last_match(_STATED, sentence)
    if match is None or _DOUBT.search(sentence[: match.start()]) or is_description(sentence[match.end() :]):
        return None
    if _HABIT.search(sentence[match.end() :].partition(":")[0]):
        return None
    after = _AFTER_COLON.match(sentence[match.end() :])
    step = after[1] if after else _activity(sentence, match)
    return count_of(step, _value(match[2]), _value(match[3]), _STRONG)


def _counted(sentence: str) -> Count | None:
    match = last_match(_COUNTED, sentence)
    if match is None:
        return None
    before, rest = sentence[: match.start()], sentence[match.end() :]
    if _DOUBT.search(before) or is_description(rest):
        return None
    is_alone = not before.strip() and (not rest.strip(" .…!") or rest.lstrip()[:1] in (":", "–", "—"))
    if not is_alone and not _CUE.search(before) and not _COUNTED_NOW.match(rest):
        return None
    return count_of(_activity(sentence, match), _value(match[2]), _value(match[3]), _STRONG if not is_alone else _FAIR)


def _doing(sentence: str) -> Count | None:
    """Reads a verb with any noun: "Installing dependency 18 of 44"."""
    match = last_match(_DOING, sentence)
    if match is None or match[1].lower() in _NOT_VERBS or _DOUBT.search(sentence[: match.end(2)]):
        return None
    if is_description(sentence[match.end() :]):
        return None
    return count_of(f"{match[1]} {_plural(match[2])}", _value(match[3]), _value(match[4]), _FAIR)


def _at(sentence: str) -> Count | None:
    match = last_match(_AT, sentence)
    if match is None or _DOUBT.search(sentence[: match.start()]):
        return None
    after = _AFTER_COLON.match(sentence[match.end() :])
    completed, total = [each for each in match.groups() if each is not None]
    return count_of(after[1] if after else sentence, completed, total, _FAIR)


def _among(sentence: str) -> Count | None:
    match = last_match(_AMONG, sentence)
    if match is None or match[1].lower() in _NOT_VERBS or _DOUBT.search(sentence[: match.start()]):
        return None
    return count_of(f"{match[1]} {_plural(match[4])}", _value(match[2]), _value(match[3]), _FAIR)


def _ranked(sentence: str) -> Count | None:
    match = last_match(_RANKED, sentence)
    if match is None:
        return None
    before = sentence[: match.start()]
    if _DOUBT.search(before) or not _CUE.search(before.rstrip() + " "):
        return None
    verb = _verb(before)
    noun = (match[3] or "steps").strip()
    total = _value(match[2])
    completed = total if match[1].lower() in ("last", "final") else _value(match[1])
    return count_of(f"{verb} {noun}" if verb else noun, completed, total, _FAIR)


def _finished(sentence: str) -> Count | None:
    match = last_match(_FINISHED, sentence)
    if match is None or _DOUBT_OF_DONE.search(sentence[: match.start()]):
        return None
    completed, total = [each for each in match.groups() if each is not None]
    return count_of(sentence, _value(completed), _value(total), _FAIR)


def _done(sentence: str) -> Count | None:
    match = last_match(_DONE, sentence)
    if (
        match is None
        or _PAST.search(match[0])
        or _DOUBT_OF_DONE.search(sentence[: match.start()])
        or sentence[: match.start()].endswith("/")
    ):
        return None
    return count_of(sentence, _value(match[1]), _value(match[2]), _FAIR)


def _percent(sentence: str) -> Count | None:
    match = last_match(_PERCENT, sentence)
    if match is not None and (match[1] or match[3] or match[2].lower() not in _NOT_VERBS):
        if _DOUBT_OF_DONE.search(sentence[: match.start()]) or "%" in sentence[match.end() :]:
            return None
        return count_of(match[2] or match[3] or "Progress", match[4], 100, _WEAK)
    match = _PERCENT_OF_WORK.match(sentence)
    if match is not None and _VERB.findall(match[1])[0].lower() not in _NOT_VERBS:
        return count_of(match[1], match[2], 100, _WEAK)
    match = last_match(_PERCENT_DONE, sentence) or _PERCENT_FINISHED.match(sentence)
    if match is None or _DOUBT_OF_DONE.search(sentence[: match.start()]):
        return None
    return count_of(sentence, match[1], 100, _WEAK)


def _activity(sentence: str, match: re.Match[str]) -> str:
    """Returns what is being done: "Running tests" for "Running test 5 of 20"."""
    verb = _verb(sentence[: match.start()])
    after = _AFTER_COLON.match(sentence[match.end() :])
    if after and not verb:
        return after[1]
    noun = _plural(match[1].lower())
    return f"{verb} {noun}" if verb else noun


def _verb(before: str) -> str | None:
    found = [each for each in _VERB.findall(before) if each.lower() not in _NOT_VERBS]
    return found[-1] if found else None


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _value(text: str) -> str | int:
    lowered = text.lower()
    known = _VALUES.get(lowered)
    return known if known is not None else lowered.rstrip("sthndr")
