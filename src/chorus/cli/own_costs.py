"""What kept conversations used and cost themselves, as the index's ledger has it, laid over what their records hold."""

from collections.abc import Mapping

from chorus.base import config
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import OwnUsage
from chorus.errors import IndexDamaged
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FOLDER
from chorus.keep.vault.files import FileVault


def lay_over(vault: FileVault, home: str | None, opened: Mapping[str, Conversation]) -> None:
    """Tell conversations (by their names) what is their own; without an index only their records are known."""
    try:
        index = SqliteIndex(vault.root / FOLDER)
    except IndexDamaged:
        return
    try:
        rows = [row for name in opened if (row := index.conversation(name)) is not None]
        for name, spent in Costs(config.home(home)).figures(index, rows).items():
            opened[name].own = OwnUsage(spent.tokens, spent.copied, spent.is_lower_bound, spent.in_short)
    except IndexDamaged:
        return
    finally:
        index.close()
