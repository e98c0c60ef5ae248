"""Tests of rules in the permission ledger: signed, applied once, removed at once, and never more than a person."""

from datetime import timedelta

import msgspec
import pytest
from msgspec import structs

from chorus.core.rules.rule import rule_id
from chorus.errors import ChorusError
from chorus.keep.vault import journal_line
from chorus.keep.vault.journal import Journal
from chorus.steer.approvals import approvers, events
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Decision, Plan, RuleUsed, State, digest_of
from chorus.steer.approvals.rules.rule_book import RuleBook
from chorus.steer.approvals.rules.rules_file import RulesFile
from chorus.steer.approvals.trust import Trust
from chorus.steer.approvals.verdict import Verdict, verdict
from tests.steer.approvals.samples import (
    NOON,
    Clock,
    add_approver,
    add_rule,
    key,
    leaving,
    ledger_in,
    request,
    rule_change,
)

TOUCH = 'allow command:"touch *"'
ROOT = "/srv/project"


@pytest.fixture
def trust(state):
    return add_approver(state, "ada")


def asked(**changes):
    return request(root=ROOT, suggestions=[], **changes)


def running(line, **changes):
    return asked(input=msgspec.json.encode({"command": line}).decode(), **changes)


def put(state, body):
    """Writes an entry as an agent could: correctly chained, with any content."""
    journal = Journal(state / "rules.jsonl")
    with journal.transaction() as held:
        list(held.news())
        held.append(body(journal.head))


def test_a_link_that_a_pattern_names_leads_outside(state, trust, tmp_path):
    """A command with a pattern is allowed inside the workspace only if no name that it stands for leads outside."""
    workspace, secret = tmp_path / "w", tmp_path / "secret"
    workspace.mkdir()
    secret.write_text("key")
    (workspace / "a.txt").write_text("a")
    add_rule(state, 'allow command:"cat *" path:inside')
    book = RuleBook(state, trust)

    def ruling(line):
        given = msgspec.json.encode({"command": line}).decode()
        return book.ruling(request(root=str(workspace), cwd=str(workspace), suggestions=[], input=given)).behaviour

    assert ruling("cat *.txt") == "allow"
    (workspace / "b.txt").symlink_to(secret)
    assert ruling("cat *.txt") == "ask"
    assert ruling("cat a.*") == "allow"
    assert ruling("cat [a-b].txt") == "ask"
    assert ruling("cat **") == "ask"


@pytest.mark.parametrize(
    ("line", "behaviour"),
    [
        ("cp x .git/hooks/post-commit", "ask"),
        ("cp x .git/./hooks/post-commit", "ask"),
        ("cp x .git//hooks/post-commit", "ask"),
        ("cp x a/../.git/hooks/post-commit", "ask"),
        ("cp x .git/ho*", "ask"),
        ("cp x link/post-commit", "ask"),
        ("cd .git && cp x hooks/post-commit", "ask"),
        ("cp x y > .git/./config", "ask"),
        ("cp x y > link/pre-push", "ask"),
        ("cp x y", "allow"),
        ("cp x y > z", "allow"),
    ],
)
def test_settings_are_left_to_a_person_however_their_path_is_written(state, trust, tmp_path, line, behaviour):
    """A request that may change hooks or settings is asked, also behind a link, a pattern, or `.` in the path."""
    workspace = tmp_path / "w"
    (workspace / ".git/hooks").mkdir(parents=True)
    (workspace / "link").symlink_to(".git/hooks")
    for rule in ('allow command:"cp *" path:inside', 'allow command:"cd *"', "allow tool:Write path:inside"):
        add_rule(state, rule)
    book = RuleBook(state, trust)
    given = msgspec.json.encode({"command": line}).decode()
    asked_for = request(root=str(workspace), cwd=str(workspace), suggestions=[], input=given)

    assert book.ruling(asked_for).behaviour == behaviour


def test_a_line_with_very_many_words_is_left_to_a_person(state, trust):
    """Each word may be a file that has to be looked at, and a rule must be quick."""
    add_rule(state, TOUCH)
    book = RuleBook(state, trust)

    assert book.ruling(running("touch " + "a " * 900)).behaviour == "allow"
    assert book.ruling(running("touch " + "a " * 1_100)).behaviour == "ask"


def test_a_file_of_settings_is_left_to_a_person_however_its_path_is_written(state, trust, tmp_path):
    """The same holds for a tool that writes; a workspace below such a folder is not settings itself."""
    workspace = tmp_path / ".claude/worktrees/w"
    (workspace / ".git/hooks").mkdir(parents=True)
    (workspace / "link").symlink_to(".git")
    add_rule(state, "allow tool:Write,Read path:inside")
    book = RuleBook(state, trust)

    def ruling(tool, path):
        given = msgspec.json.encode({"file_path": path, "content": "x"}).decode()
        return book.ruling(
            request(tool=tool, root=str(workspace), cwd=str(workspace), suggestions=[], input=given)
        ).behaviour

    assert ruling("Write", "link/hooks/pre-commit") == "ask"
    assert ruling("Write", ".git/./config") == "ask"
    assert ruling("Write", "a.py") == "allow"
    assert ruling("Read", "link/hooks/pre-commit") == "allow"


def test_a_rule_decides_as_a_row_like_any_other(state, trust):
    """A request that a rule allows is settled at once: the row names the rule, and the asker gets a verdict."""
    number = add_rule(state, TOUCH)
    book = RuleBook(state, trust)
    ledger = ledger_in(state, trust=trust)
    made = asked()

    row = ledger.ask(made, book.decide)

    assert row.state is State.APPROVED and row.decision is not None
    assert row.decision.surface == "rule" and row.decision.rules == [RuleUsed(number, TOUCH)]
    assert verdict(made, row, trust) == Verdict(behaviour="allow")
    assert ledger.pending() == []
    assert ledger.row(made.id) == row
    assert Ledger(state).row(made.id) == row, "another process reads the same"
    assert ledger.ask(made, book.decide) == row, "it is decided once"
    assert len((state / "approvals.jsonl").read_bytes().splitlines()) == 2


def test_a_denial_says_which_rule(state, trust):
    """A request that a rule denies is denied, and the agent learns by which rule."""
    add_rule(state, "deny command:touch")
    book = RuleBook(state, trust)
    made = asked()

    row = ledger_in(state, trust=trust).ask(made, book.decide)

    found = verdict(made, row, trust)
    assert isinstance(found, Verdict) and found.behaviour == "deny"
    assert found.message == "A rule of Chorus denies this: deny command:touch"


def test_what_no_rule_decides_waits_for_a_person(state, trust):
    """Another command stays pending."""
    add_rule(state, TOUCH)
    book = RuleBook(state, trust)

    assert ledger_in(state, trust=trust).ask(running("touch a; rm b"), book.decide).is_pending


def test_a_rule_is_removed_at_once(state, trust):
    """The next request after the removal is asked, also by a process that began before; a verdict does not hold."""
    add_rule(state, TOUCH)
    book = RuleBook(state, trust)
    ledger = ledger_in(state, trust=trust)
    before = asked()
    row = ledger.ask(before, book.decide)

    add_rule(state, TOUCH, action="remove")

    assert ledger.ask(asked(key="another"), book.decide).is_pending
    assert isinstance(verdict(before, row, trust), Refused)
    assert Ledger(state).row(before.id) == row, "history stays as it was"
    add_rule(state, TOUCH)
    assert not ledger.ask(asked(key="third"), book.decide).is_pending, "it can be added again"


@pytest.mark.parametrize(
    "forge",
    [
        lambda head: b'{"action":"add"}',
        lambda head: msgspec.json.encode(rule_change(TOUCH, "eve", head)),
        lambda head: msgspec.json.encode(structs.replace(rule_change(TOUCH, "ada", head), signature="")),
        lambda head: msgspec.json.encode(rule_change(TOUCH, "ada", "1" * 64)),
        lambda head: msgspec.json.encode(structs.replace(rule_change("deny command:x", "ada", head), text=TOUCH)),
        lambda head: msgspec.json.encode(rule_change('allow  command:"touch *"', "ada", head)),
        lambda head: msgspec.json.encode(rule_change("allow tool:Bash", "ada", head)),
        lambda head: msgspec.json.encode(rule_change("anything", "ada", head)),
        lambda head: msgspec.json.encode(rule_change(TOUCH, "ada", head, "remove")),
    ],
)
def test_entries_by_other_hands_are_shown_and_not_applied(state, trust, forge):
    """An entry that no approver signed for this place of the file has no effect, and is reported."""
    put(state, forge)
    book = RuleBook(state, trust)

    assert ledger_in(state, trust=trust).ask(asked(), book.decide).is_pending
    assert [each.line for each in RulesFile(state).load(trust.list).rejected] == [1]
    add_rule(state, 'allow command:"ls *"')
    assert len(RulesFile(state).load(trust.list).in_force) == 1, "later entries count"


def test_a_signed_entry_counts_only_at_its_place(state, trust):
    """An agent that repeats the signed entry of a removed rule, as if it followed its old line, brings nothing back."""
    add_rule(state, "deny command:rm")
    add_rule(state, TOUCH)
    path = state / "rules.jsonl"
    old = journal_line.decode(path.read_bytes().splitlines()[1])
    add_rule(state, TOUCH, action="remove")
    assert old is not None

    with path.open("ab") as file:
        file.write(journal_line.encode(9, old.prev, bytes(old.entry)) + b"\n")

    found = RulesFile(state).load(trust.list)
    assert [rule.text for rule in found.in_force] == ["deny command:rm"]
    assert any("does not follow" in each.reason for each in found.rejected)


def test_a_rewritten_file_allows_nothing(state, trust):
    """If lines disappear, no rule that allows is applied; rules that deny still are."""
    add_rule(state, "deny command:rm")
    add_rule(state, TOUCH)
    add_rule(state, TOUCH, action="remove")
    book = RuleBook(state, trust)
    ledger = ledger_in(state, trust=trust)
    assert ledger.ask(asked(), book.decide).is_pending
    path = state / "rules.jsonl"
    kept = path.read_bytes().splitlines(keepends=True)[:2]

    path.write_bytes(b"".join(kept))

    assert ledger.ask(asked(key="again"), book.decide).is_pending
    assert ledger.ask(running("rm x", key="denied"), book.decide).state is State.DENIED
    assert book.tampering
    assert RuleBook(state, trust).decide(asked()) is None, "nor by a process that starts now"


def test_rules_of_somebody_who_left_allow_nothing(state, trust):
    """If an approver is removed, what they allowed is asked again, and what they denied stays denied."""
    add_approver(state, "bob", by="ada")
    ApproversFile(state).extend(trust)
    add_rule(state, TOUCH, by="bob")
    add_rule(state, "deny command:rm", by="bob")
    book = RuleBook(state, trust)
    assert book.decide(asked()) is not None

    ApproversFile(state).append(lambda _found, head: leaving("bob", "ada", head))
    ApproversFile(state).extend(trust)

    assert book.decide(asked()) is None
    assert book.decide(running("rm x")) is not None
    with pytest.raises(ChorusError):
        add_rule(state, 'allow command:"ls *"', by="bob")


def test_without_an_approver_no_rule_applies(state):
    """A run that began before there was an approver is not decided by rules."""
    early = Trust(approvers.load(state))
    add_approver(state, "ada")
    add_rule(state, TOUCH)
    book = RuleBook(state, early)

    ApproversFile(state).extend(early)

    assert book.decide(asked()) is None


@pytest.mark.parametrize(
    "made",
    [
        asked(tool="AskUserQuestion", input="{}"),
        asked(tool="ExitPlanMode", input="{}"),
        asked(tool="SetPermissionMode", input='{"mode":"acceptEdits"}'),
        asked(plans=[Plan("x")]),
        running("touch a\u200bb"),
        running("touch .claude/settings.json"),
        running("touch 'p\u0430ypal'"),
        asked(input='{"command":"touch a","command":"touch b"}'),
        asked(input='{"command":"touch a","dangerouslyDisableSandbox":true}'),
        asked(tool="Write", input='{"file_path":"/srv/project/.git/hooks/x","content":""}'),
    ],
)
def test_a_rule_allows_nothing_that_a_person_must_see(state, trust, made):
    """Questions, plans, wider modes and cards with a warning are left to a person."""
    for text in (TOUCH, "allow tool:Write path:inside", "allow tool:AskUserQuestion,ExitPlanMode,SetPermissionMode"):
        add_rule(state, text)

    assert RuleBook(state, trust).decide(made) is None


def test_a_rule_changes_nothing_else(state, trust):
    """A decision of a rule with another input, a suggestion or an approver has no effect."""
    number = add_rule(state, TOUCH)
    RuleBook(state, trust)
    made = request(root=ROOT)
    ledger = ledger_in(state, trust=trust)
    ledger.ask(made)
    plain = Decision(behaviour="allow", at="", surface="rule", rules=[RuleUsed(number, TOUCH)])

    for change in ({"input": '{"command":"touch b"}'}, {"suggestions": [0]}, {"approver": key("ada").id}):
        found = ledger.decide(made.id, digest_of(made), structs.replace(plain, **change), trust)
        assert isinstance(found, Refused), change
    assert isinstance(ledger.decide(made.id, digest_of(made), plain, trust), Refused), "only the asker applies rules"


@pytest.mark.parametrize(
    ("line", "used"),
    [
        ("rm -rf x", RuleUsed(rule_id(TOUCH), TOUCH)),
        ("rm -rf x", RuleUsed(rule_id(TOUCH), 'allow command:"rm *"')),
        ("rm -rf x", RuleUsed("0" * 12, 'allow command:"rm *"')),
    ],
)
def test_a_row_that_claims_a_rule_is_not_believed(state, trust, line, used):
    """An agent that writes into the file that a rule approved something has denied itself."""
    add_rule(state, TOUCH)
    book = RuleBook(state, trust)
    ledger = ledger_in(state, trust=trust)
    made = running(line)
    ledger.ask(made, book.decide)
    forged = Decision(behaviour="allow", at=made.created_at, surface="rule", rules=[used])
    journal = Journal(state / "approvals.jsonl")
    with journal.transaction() as held:
        list(held.news())
        event = events.Decided(at=made.created_at, id=made.id, digest=digest_of(made), decision=forged, is_awaited=True)
        held.append(events.encode(event))

    row = ledger.row(made.id)

    assert row is not None and row.state is State.INVALID
    assert isinstance(verdict(made, row, trust), Refused)
    assert made.id in Ledger(state).check().unsigned


def test_links_out_of_the_workspace_are_followed(state, trust, tmp_path):
    """A rule about files inside the workspace allows no file behind a link that leads out of it."""
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "out").symlink_to(tmp_path)
    add_rule(state, "allow tool:Write path:inside")
    book = RuleBook(state, trust)

    def written(name):
        given = msgspec.json.encode({"file_path": f"{root}/{name}", "content": ""}).decode()
        return book.decide(request(tool="Write", input=given, cwd=str(root), root=str(root)))

    assert written("sub/a") is not None
    assert written("out/a") is None


def test_time_is_the_persons_time(state, trust, monkeypatch):
    """Hours are those of the person's time zone, and a rule stops applying when its time is over."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    add_rule(state, f"{TOUCH} hours:12:30-13:30")
    clock = Clock()
    book = RuleBook(state, trust, clock)

    assert book.decide(asked()) is not None, "noon in UTC is 13:00 there"
    clock.now = NOON + timedelta(hours=1)
    assert book.decide(asked()) is None
