"""`chorus compare`: two conversations next to each other."""

from typing import Any

import click

from chorus.cli.compare_tables import compare_tables
from chorus.cli.output import complain, print_json
from chorus.cli.pager import paged
from chorus.cli.vault_ids import named, open_vault, vault_option
from chorus.core.comparisons.comparison import Comparison, Counts, Pair, compare
from chorus.core.comparisons.sides import Side, side
from chorus.core.comparisons.steps import Step, steps
from chorus.core.conversation.conversation import Conversation
from chorus.errors import SourceUnreadable
from chorus.keep.vault.files import FileVault


@click.command("compare")
@click.argument("a", metavar="A", type=click.Path(allow_dash=True))
@click.argument("b", metavar="B", type=click.Path(allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--all", "every", is_flag=True, help="Show every step, also where both are the same.")
@vault_option
@paged
def compare_(*, a: str, b: str, as_json: bool, every: bool, vault: str | None) -> None:
    """Show two conversations next to each other: prompts, calls, files, cost, and where they part.

    A and B are conversations in the vault (an id, a number of the last search, or a query that one conversation
    answers) or session files. Steps are paired if they are the same record, as in a fork, or else the same prompt,
    answer or call. The history that a fork copied is shown once.
    """
    kept_in = open_vault(vault)
    sides, found = [], []
    for name in (a, b):
        conversation = _opened(name, kept_in, vault)
        found.append(steps(conversation))
        if not found[-1] and conversation.own is None:
            raise SourceUnreadable(f"{name}: nothing in it can be compared; `chorus read` prints its records")
        sides.append(side(conversation, _cost(conversation)))
    compared = compare(*found)
    if as_json:
        print_json(_as_json(compared, sides))
    else:
        click.echo(compare_tables(compared, sides[0], sides[1], every=every), nl=False)


def _opened(source: str, kept_in: FileVault, vault: str | None) -> Conversation:
    if kept := named([source], kept_in).kept:
        from chorus.cli.given_titles import set_given_titles
        from chorus.cli.own_costs import set_own_costs
        from chorus.keep.archive.opening import open_kept

        opened = open_kept(kept_in, kept[0])
        set_own_costs(kept_in, vault, {kept[0].name: opened})
        set_given_titles(kept_in, {kept[0].name: opened})
        return opened
    from chorus.library import files

    return files.main_of(files.open_all(source, complain), source)


def _cost(conversation: Conversation) -> str:
    """Return the cost in short: as the cost ledger has it, else computed from the file, else as reported."""
    if conversation.own is not None:
        return conversation.own.cost
    from chorus.core.views import figures
    from chorus.core.views.safe import safe_line
    from chorus.library.costs import cost

    spent = cost(conversation)
    if spent.usd is not None:
        is_at_least = spent.unpriced or conversation.is_lower_bound
        return ("≥" if is_at_least else "") + figures.cost(spent.usd)
    if spent.reported_usd is not None:
        return f"{figures.cost(spent.reported_usd)} reported"
    return f"? {safe_line(', '.join(spent.unpriced))}" if spent.unpriced else ""


def _as_json(compared: Comparison, sides: list[Side]) -> dict[str, Any]:
    """Return the documented form of `chorus compare --json`."""
    a, b = sides
    return {
        "format": "chorus.compare",
        "version": 1,
        "a": {**a.as_json(), "counts": _counts(compared.a), "after_parting": _counts(compared.a_after)},
        "b": {**b.as_json(), "counts": _counts(compared.b), "after_parting": _counts(compared.b_after)},
        "is_fork": compared.is_fork,
        "is_equal": compared.is_equal,
        "parts_at": compared.stem,
        "files": [{"path": each.path, "a": each.a, "b": each.b, "in_both": each.in_both} for each in compared.files],
        "steps": [_pair(pair) for pair in compared.pairs],
    }


def _counts(counts: Counts) -> dict[str, int]:
    return {name: getattr(counts, name) for name in counts.__struct_fields__}


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "relation": pair.relation,
        "has_other_result": pair.has_other_result,
        "a": _step(pair.a) if pair.a else None,
        "b": _step(pair.b) if pair.b else None,
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "item": step.item,
        "kind": step.kind,
        "tool": step.tool or None,
        "state": step.state or None,
        "words": step.words,
        "files": list(step.files),
        "time": step.time,
        "agent": step.agent or None,
        "is_abandoned": step.is_abandoned,
    }
