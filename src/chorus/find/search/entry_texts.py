"""Loads the texts of entries from the vault."""

from collections.abc import Sequence

from chorus.core.conversation import items
from chorus.find.index.port import MAX_ENTRIES, Index
from chorus.find.index.rows import Entry, Part
from chorus.find.payloads.loader import Loader
from chorus.keep.vault.port import Vault

_NEAR = 80
"""A call usually follows directly after the message that made it: this many entries are read first, and cached."""
_MAX_PAGES = 50
_WORTH_READING_AHEAD = 4


class Texts:
    """Texts of any conversation. It caches the last conversation, because hits often come in groups."""

    def __init__(self, index: Index, vault: Vault) -> None:
        self._index = index
        self._vault = vault
        self._name = ""
        self._loader: Loader | None = None
        self._near: dict[str, Entry] = {}

    def text(self, name: str, entry: Entry) -> str:
        """Returns the text of an entry of the conversation; for a call, its input and output. "" when it is lost."""
        return self.loader(name).text(entry, self.made(name, entry))

    def by_parts(self, name: str, entry: Entry) -> list[tuple[str, str]]:
        """Like `text`, by the parts of the entry: their ids and texts."""
        return self.loader(name).texts(entry, self.made(name, entry))

    def texts(self, wanted: Sequence[tuple[str, Entry]]) -> list[str]:
        """Returns the texts of many entries, each given with its conversation; neighbouring lines are read together."""
        found: dict[int, str] = {}
        by_name: dict[str, list[tuple[int, Entry]]] = {}
        for place, (name, entry) in enumerate(wanted):
            by_name.setdefault(name, []).append((place, entry))
        for name, some in by_name.items():
            made = {place: self.made(name, entry) for place, entry in some}
            loader = self.loader(name)
            if len(some) >= _WORTH_READING_AHEAD:
                loader.read_parts_ahead(part for place, entry in some for part in (made[place], *entry.parts) if part)
            for place, entry in some:
                found[place] = loader.text(entry, made[place])
        return [found[place] for place in range(len(wanted))]

    def made(self, name: str, call: Entry) -> Part | None:
        """Returns the block that makes a call: a part of its message."""
        if not isinstance(call.item, items.Call) or call.item.block is None:
            return None
        message = self.message(name, call)
        return next((part for part in message.parts if part.id == call.item.block), None) if message else None

    def message(self, name: str, call: Entry) -> Entry | None:
        """Returns the message that makes a call; None when only the call's result is known."""
        wanted = call.item.message if isinstance(call.item, items.Call) else None
        if wanted is None:
            return None
        self._go_to(name)
        if wanted not in self._near:
            self._look_around(name, call, wanted)
        return self._near.get(wanted)

    def loader(self, name: str) -> Loader:
        """Returns the loader for the payloads of a conversation."""
        self._go_to(name)
        if self._loader is None:
            workspace, agent, conversation = name.split("/")
            self._loader = Loader(self._vault, workspace, agent, conversation)
        return self._loader

    def _go_to(self, name: str) -> None:
        if name != self._name:
            self._name, self._loader, self._near = name, None, {}

    def _look_around(self, name: str, call: Entry, wanted: str) -> None:
        """Pages backwards to the message; entries of other threads may be between it and the call."""
        key, limit = call.key, _NEAR
        for _ in range(_MAX_PAGES):
            page = self._index.page(name, before=key, limit=limit)
            self._near = {entry.id: entry for entry in page}
            if wanted in self._near or not page:
                break
            key, limit = page[0].key, MAX_ENTRIES
        if wanted not in self._near:
            # A message whose first lines are lost is ordered by its later ones.
            self._near = {entry.id: entry for entry in self._index.page(name, after=call.key, limit=_NEAR)}
