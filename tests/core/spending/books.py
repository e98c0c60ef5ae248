"""Builds conversations for the tests of the cost ledger: built, folded and settled in one call."""

from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Turn
from chorus.core.spending.books import Books, Facts
from chorus.core.spending.counting import usages_of
from chorus.core.spending.ownership import Account, assign_owners, forks, spent
from chorus.core.spending.reported import reported_of
from chorus.testing.builders.lines import Script
from tests.core.conversation.talks import read


def folded(script: Script | bytes, session: str = "s", *, stream: str = "main.jsonl", **more: Script | bytes):
    """Returns the fold of a script, and of further streams by name, and its turns."""
    fold, turns = Fold(session), {}
    for name, data in {stream: script, **{f"{name}.jsonl": data for name, data in more.items()}}.items():
        for record in read(name, bytes(data)):
            turns.update({change.id: change for change in fold.feed(record) if isinstance(change, Turn)})
    return fold, list(turns.values())


def used(script, name="w/main/s", **more):
    """Returns what the conversation of a script used."""
    fold, turns = folded(script, **more)
    return usages_of(fold, name, turns)


def said(script, name="w/main/s", **more):
    """Returns what the client of a script reported."""
    fold, turns = folded(script, **more)
    return reported_of(fold, turns, name)


def books_of(scripts: dict[str, Script | bytes]) -> Books:
    """Returns the books of conversations by name (`workspace/agent/id`)."""
    accounts, reported, titles = [], [], {}
    for name, script in scripts.items():
        fold, turns = folded(script)
        accounts.append(Account(name, fold.state.session.started_at, usages_of(fold, name, turns)))
        reported += reported_of(fold, turns, name)
        titles[name] = fold.state.session.title
    settled = assign_owners(accounts)
    forked = forks(accounts, settled)
    facts = {}
    for name, title in titles.items():
        workspace, agent, own = name.split("/")
        facts[name] = Facts(own, workspace, workspace, agent, title, is_fork=name in forked)
    return Books(spent(settled.values()), reported, facts)
