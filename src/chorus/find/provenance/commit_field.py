"""Answers the query field `commit:` before a query is searched: the index knows nothing about git."""

from pathlib import Path

from msgspec import structs

from chorus.core.query.leaves import each_leaf
from chorus.core.query.tree import Among, Field, Node, Query
from chorus.errors import ChorusError
from chorus.find.index.port import Index
from chorus.keep.archive.listing import name_of
from chorus.keep.vault.port import Vault


def with_commits(query: Query, index: Index, vault: Vault) -> Query:
    """Returns the query with the conversations of commits in place of `commit:`. Everything that runs a query of a
    person calls this first; a `commit:` that is left finds nothing.
    """

    def one(node: Node) -> Node:
        if isinstance(node, Field) and node.name == "commit":
            return Among(conversations_of_commit(index, vault, node.value))
        return node

    return structs.replace(query, root=each_leaf(query.root, one))


def conversations_of_commit(index: Index, vault: Vault, revision: str) -> frozenset[str]:
    """Returns the names of the conversations that wrote lines of a commit, in any repository that has the commit.

    Empty if there is no such commit, or if git cannot answer.
    """
    # Imported here: most queries ask for no commit, and the imports take longer than many searches.
    from chorus.find.provenance.commit_origins import edits_of_commit
    from chorus.find.provenance.named_repositories import histories_in, named_repositories
    from chorus.find.provenance.revisions import resolve_commit

    root = getattr(vault, "root", None)
    found: set[str] = set()
    if not isinstance(root, Path):
        return frozenset()
    for workspace, repository in named_repositories(root):
        try:
            commit = resolve_commit(repository, revision)
            with histories_in(index, vault, root, workspace) as histories:
                edits = edits_of_commit(histories, repository, commit).lines
        except ChorusError:
            continue
        names = {name_of(root, edit.conversation) for edit in edits}
        found |= {name for name in names if name is not None}
    return frozenset(found)
