"""`chorus rules`: rules that answer requests, tried on history before they apply."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import click

from chorus.cli.vault_ids import vault_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from chorus.core.rules.rule import Rule
    from chorus.steer.approvals.rules.signed_rules import SignedRules
    from chorus.steer.approvals.trust import Approvers
    from chorus.steer.back_tests.back_test import BackTest
    from chorus.steer.back_tests.recorded_cases import Case

_MANY = 20
_Found = TypeVar("_Found")


@click.group()
def rules() -> None:
    """Manage the rules that answer permission requests in your place.

    A rule is one line, such as 'allow command:"pytest *"' or 'deny path:outside'; docs/guide/rules.md explains it. Try
    a rule on what was recorded with `chorus rules test` before you add it. Adding and removing needs an approver.
    """


@rules.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
@click.pass_context
def list_(ctx: click.Context, *, as_json: bool, vault: str | None) -> None:
    """List your rules, and those of the client.

    The rules of the client are those of your own settings and of the current folder. Entries of the file that are not
    valid are listed as well; the exit code is 1 if there are any.
    """
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import print_json, print_table, say
    from chorus.cli.table import Column
    from chorus.keep.sources.discover import config_folder
    from chorus.steer.client_settings.client_rules import client_rules

    found, known, trouble = _load(state_folder(vault))
    names = {each.id: each.name for each in known.ever.values()}
    others = client_rules(config_folder(), [Path.cwd()])
    if as_json:
        print_json(
            {
                "rules": [
                    {
                        "id": each.rule.id,
                        "text": each.rule.text,
                        "by": names.get(each.by),
                        "at": each.at,
                        "trouble": each.trouble or None,
                    }
                    for each in found.rules
                ],
                "client_rules": [{"behavior": e.behaviour, "text": e.text, "file": e.file} for e in others],
                "rejected": [{"line": each.line, "reason": each.reason} for each in found.rejected],
                "trouble": trouble,
            }
        )
    else:
        rows = [(e.rule.id, e.rule.text, names.get(e.by, "?"), e.at[:10], e.trouble) for e in found.rules]
        columns = [
            "Id",
            Column("Rule", min_width=34, preferred_width=60),
            Column("By", drop_rank=2, min_width=8),
            Column("Since", drop_rank=3),
        ]
        if any(each.trouble for each in found.rules):
            columns.append(Column("Does not apply", min_width=20))
        print_table("Rules", columns, [row[: len(columns)] for row in rows])
        shown = [(each.behaviour, each.text, each.file) for each in others]
        own = Column("File", drop_rank=1, min_width=20, keeps_end=True)
        print_table("Rules of the client", ["Does", Column("Rule", min_width=30), own], shown)
        refused = [(str(each.line), each.reason) for each in found.rejected]
        print_table("Invalid entries", ["Line", Column("Reason", min_width=24)], refused)
        if trouble:
            say(f"No rule that allows is applied: {trouble}.")
        if not found.rules:
            say("There are no rules yet. `chorus rules suggest` shows what your history suggests.")
    if found.rejected or trouble:
        ctx.exit(1)


@rules.command("add")
@click.argument("text", metavar="RULE")
@click.option("--no-test", is_flag=True, help="Do not try the rule on what was recorded first.")
@vault_option
def add(text: str, *, no_test: bool, vault: str | None) -> None:
    """Add a RULE. Shows what it would have decided, then asks for the passphrase of an approver.

    It applies from the next request on, also in runs that are going on.
    """
    from chorus.cli import passphrases
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable
    from chorus.cli.rule_tables import print_back_test
    from chorus.core.rules.rule_text import read_rule

    passphrases.refuse_inside_a_run("Adding a rule")
    passphrases.refuse_without_a_terminal("Adding a rule")
    rule = read_rule(text)
    if not no_test:
        print_back_test(_tested([rule], (), vault), limit=_MANY)
    _change(state_folder(vault), "add", rule.id, rule.text, "Adding a rule")
    click.echo(printable(f"{rule.id} applies now: {rule.text}"))


@rules.command("remove")
@click.argument("name", metavar="ID")
@vault_option
def remove(name: str, *, vault: str | None) -> None:
    """Remove the rule whose id begins with ID. Needs the passphrase of an approver.

    It does not apply to the next request any more, also in runs that are going on.
    """
    from chorus.cli import passphrases
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable
    from chorus.errors import ChorusError

    passphrases.refuse_inside_a_run("Removing a rule")
    passphrases.refuse_without_a_terminal("Removing a rule")
    state = state_folder(vault)
    found, _, _ = _load(state)
    meant = [each.rule for each in found.rules if each.rule.id.startswith(name.strip().lower())]
    if len(meant) != 1:
        count = "several rules" if meant else "no rule"
        raise ChorusError(f"{name}: matches {count}; `chorus rules list` shows their ids")
    _change(state, "remove", meant[0].id, "", "Removing a rule")
    click.echo(printable(f"removed: {meant[0].text}"))


@rules.command("test")
@click.argument("rule", metavar="RULE|FILE")
@click.argument("query", metavar="[QUERY…]", nargs=-1)
@click.option("--limit", type=click.IntRange(1), default=_MANY, show_default=True, metavar="N", help="Show N cases.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
def test(rule: str, query: tuple[str, ...], *, limit: int, as_json: bool, vault: str | None) -> None:
    """Show what a rule would have decided in the past.

    A file with one rule on each line is tried as a whole. Looks at all recorded requests, and all calls of the
    conversations that answer QUERY. It says where people decided otherwise, and what would be allowed that nobody was
    asked about. Nothing is switched on.
    """
    from chorus.cli.output import print_json
    from chorus.cli.rule_tables import as_json as json_of
    from chorus.cli.rule_tables import print_back_test

    found = _tested(_read(rule), query, vault)
    if as_json:
        print_json(json_of(found, limit=limit))
    else:
        print_back_test(found, limit=limit)


@rules.command("suggest")
@click.argument("query", metavar="[QUERY…]", nargs=-1)
@click.option("--limit", type=click.IntRange(1), default=_MANY, show_default=True, metavar="N", help="Show N rules.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
def suggest(query: tuple[str, ...], *, limit: int, as_json: bool, vault: str | None) -> None:
    """Show rules that would have answered requests as you did. Nothing is switched on.

    A rule is suggested if you allowed it, or it ran, at least three times, and it was never denied.
    """
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import print_json, print_table, say
    from chorus.cli.table import Column
    from chorus.steer.back_tests.suggestions import suggest as suggested

    in_force = _load(state_folder(vault))[0].in_force
    found = _with_cases(query, vault, lambda recorded: suggested(recorded, in_force))[:limit]
    if as_json:
        print_json([{"rule": each.rule.text, "approved": each.approved, "ran": each.ran} for each in found])
        return
    rows = [(each.approved, each.ran, each.rule.text) for each in found]
    columns = ("You approved", "Ran unasked", Column("Rule", min_width=34))
    print_table("Suggested rules, never denied", columns, rows)
    say(
        "Try one with `chorus rules test RULE`, and switch it on with `chorus rules add RULE`."
        if found
        else "Nothing was allowed, or ran, often enough to suggest a rule."
    )


def _load(state: Path) -> "tuple[SignedRules, Approvers, str | None]":
    """Return the rules, the approvers, and what is wrong with the file of the rules."""
    from chorus.steer.approvals import approvers
    from chorus.steer.approvals.rules.rules_file import RulesFile

    known = approvers.load(state)
    file = RulesFile(state)
    return file.load(known), known, file.tampering


def _change(state: Path, action: Literal["add", "remove"], rule_id: str, text: str, what: str) -> None:
    """Append a change of the rules, signed with the passphrase of an approver."""
    from chorus.cli.signed_changes import signed_with_passphrase
    from chorus.steer.approvals import approvers
    from chorus.steer.approvals.rules.rules_file import RulesFile
    from chorus.steer.approvals.rules.signed_rules import RuleChange

    known = approvers.load(state)
    make = signed_with_passphrase(RuleChange, known, what, action=action, name=rule_id, text=text)
    RulesFile(state).append(known, make)


def _read(given: str) -> "list[Rule]":
    """Return the rule that was typed, or the rules of the file that was named."""
    from chorus.core.rules.rule_text import read_rule, rule_lines
    from chorus.errors import ChorusError, SourceUnreadable

    path = Path(given)
    if given.split(" ", 1)[0] in ("allow", "deny", "ask") and not path.is_file():
        return [read_rule(given)]
    try:
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise SourceUnreadable(f"{given}: neither a rule nor a file ({error.strerror or error})") from error
    found: list[Rule] = []
    for number, line in rule_lines(text):
        try:
            found.append(read_rule(line))
        except ChorusError as error:
            raise ChorusError(f"{given}, line {number}: {error}") from error
    if not found:
        raise ChorusError(f"{given}: there is no rule in it")
    return found


def _tested(tried: "list[Rule]", query: tuple[str, ...], vault: str | None) -> "BackTest":
    from chorus.base.zone import local_zone
    from chorus.cli.deciding import state_folder
    from chorus.steer.back_tests.back_test import try_rules

    in_force = _load(state_folder(vault))[0].in_force
    return _with_cases(query, vault, lambda recorded: try_rules(tried, in_force, recorded, local_zone()))


def _with_cases(query: tuple[str, ...], vault: str | None, act: "Callable[[Iterable[Case]], _Found]") -> _Found:
    """Return what `act` makes of the recorded requests and calls."""
    from chorus.cli.chosen import chosen_names
    from chorus.cli.query_options import ask
    from chorus.cli.vault_ids import open_vault
    from chorus.steer.approvals.ledger import Ledger
    from chorus.steer.back_tests.recorded_cases import cases

    kept_in = open_vault(vault)
    names = chosen_names(query, kept_in)
    ledger = Ledger(kept_in.root / "state")
    found = ask(kept_in, lambda index: act(cases(ledger, index, kept_in, names)))
    return act(cases(ledger, None, kept_in, names)) if found is None else found
