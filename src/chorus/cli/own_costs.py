"""Set what recorded conversations used and cost themselves, from the cost ledger of the index."""

from collections.abc import Mapping

from chorus.base import config
from chorus.cli.output import complain
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import OwnUsage
from chorus.errors import ChorusError, IndexDamaged
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FOLDER
from chorus.keep.vault.files import FileVault


def set_own_costs(vault: FileVault, home: str | None, opened: Mapping[str, Conversation]) -> None:
    """Set the own tokens and cost of each conversation (by name). Without an index nothing is changed.

    A price file with errors is reported, and changes nothing either.
    """
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
    except ChorusError as error:
        complain(str(error))
    finally:
        index.close()
