"""The books of `chorus cost --by commit`: each turn counts at the commit that it went into."""

from pathlib import Path

from chorus.base import config
from chorus.cli.query_options import ask
from chorus.core.spending.books import Books
from chorus.errors import ChorusError
from chorus.find.provenance.commit_turns import spending_by_commit
from chorus.find.provenance.named_repositories import named_repositories
from chorus.keep.vault.files import FileVault


def with_commits(books: Books, vault: str | None) -> Books:
    """Return the books with their usage grouped by commits of the workspaces that the person named."""
    kept_in = FileVault(config.vault_for(vault, Path.cwd()))
    unknown = [name for name in books.facts if name.count("/") < 2]
    if unknown:
        raise ChorusError("commits are known of recorded conversations only: name ids or a query instead of files")
    workspaces = list(named_repositories(kept_in.root))
    found = ask(kept_in, lambda index: spending_by_commit(index, kept_in, workspaces, books.spent))
    return books._replace(groups=found.groups if found else {}, titles=found.subjects if found else {})
