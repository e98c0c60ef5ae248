"""The texts of entries, had back from the vault."""

from collections.abc import Sequence

from chorus.core.conversation import items
from chorus.find.index.port import MAX_ENTRIES, Index
from chorus.find.index.rows import Entry, Part
from chorus.find.payloads.loader import Loader
from chorus.keep.vault.port import Vault

_NEAR = 80
"""As a rule a call stands right behind the message that made it: so many entries are looked at first, and kept."""
_MAX_PAGES = 50
_WORTH_READING_AHEAD = 4


class Texts:
    """Texts of any conversation; remembers where it read last, since hits come in flocks."""

    def __init__(self, index: Index, vault: Vault) -> None:
        self._index = index
        self._vault = vault
        self._name = ""
        self._loader: Loader | None = None
        self._near: dict[str, Entry] = {}

    def text(self, name: str, entry: Entry) -> str:
        """What an entry of the conversation says; of a call, what it was asked and gave back. "" when it is gone."""
        return self.loader(name).text(entry, self.made(name, entry))

    def by_parts(self, name: str, entry: Entry) -> list[tuple[str, str]]:
        """The same by the parts of the entry: their ids, and what they say."""
        return self.loader(name).texts(entry, self.made(name, entry))

    def texts(self, wanted: Sequence[tuple[str, Entry]]) -> list[str]:
        """The texts of many entries, each with the name of its conversation; what lies together is read together."""
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
        """The block that makes a call: a part of the message that it stands in."""
        if not isinstance(call.item, items.Call) or call.item.block is None:
            return None
        message = self.message(name, call)
        return next((part for part in message.parts if part.id == call.item.block), None) if message else None

    def message(self, name: str, call: Entry) -> Entry | None:
        """The message that makes a call; None when only the call's result is known."""
        wanted = call.item.message if isinstance(call.item, items.Call) else None
        if wanted is None:
            return None
        self._go_to(name)
        if wanted not in self._near:
            self._look_around(name, call, wanted)
        return self._near.get(wanted)

    def loader(self, name: str) -> Loader:
        """Reads the payloads of a conversation's parts."""
        self._go_to(name)
        if self._loader is None:
            workspace, agent, conversation = name.split("/")
            self._loader = Loader(self._vault, workspace, agent, conversation)
        return self._loader

    def _go_to(self, name: str) -> None:
        if name != self._name:
            self._name, self._loader, self._near = name, None, {}

    def _look_around(self, name: str, call: Entry, wanted: str) -> None:
        """Page backwards to the message; other threads may have gone on between it and the call."""
        key, limit = call.key, _NEAR
        for _ in range(_MAX_PAGES):
            page = self._index.page(name, before=key, limit=limit)
            self._near = {entry.id: entry for entry in page}
            if wanted in self._near or not page:
                break
            key, limit = page[0].key, MAX_ENTRIES
        if wanted not in self._near:
            # A message whose first lines are lost is placed by its later ones.
            self._near = {entry.id: entry for entry in self._index.page(name, after=call.key, limit=_NEAR)}
