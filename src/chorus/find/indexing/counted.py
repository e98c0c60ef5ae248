"""The activities of one conversation: what changed since the last writing."""

from chorus.core.conversation import items
from chorus.find.index.activities import Activity
from chorus.find.index.entry_activities import activity_of, shared_id
from chorus.find.index.rows import Entry, Note


class Counted:
    """Collects the activities of entries as they change."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._waits: dict[str, dict[str, Activity]] = {}
        """Waiting → the entries that state it: the request itself and the decision about it."""
        self._put: dict[str, Activity] = {}
        self._gone: set[str] = set()

    def restore(self, entry: Entry) -> None:
        """Registers an entry that the index already has."""
        if isinstance(entry.item, items.Permission | Note) and (found := activity_of(entry, self._name)):
            self._waits.setdefault(found.id, {})[entry.id] = found

    def take(self, entry: Entry, *, is_new: bool) -> None:
        """Counts an entry that is new or changed."""
        item = entry.item
        found = activity_of(entry, self._name)
        if isinstance(item, items.Permission | Note):
            if found is not None:
                self._waits.setdefault(found.id, {})[entry.id] = found
                self._say_wait(found.id)
        elif found is not None:
            self._say(found)
        elif not is_new and (isinstance(item, items.Call) or (isinstance(item, items.Message) and item.role == "user")):
            self._drop(shared_id(entry.id, self._name))

    def remove(self, item: str) -> None:
        """Forgets an entry."""
        self._drop(shared_id(item, self._name))
        for wait in [wait for wait, stated in self._waits.items() if item in stated]:
            del self._waits[wait][item]
            self._say_wait(wait)

    def settle(self) -> tuple[list[Activity], list[str]]:
        """Returns what changed since the last call: activities, and the ids of those that are gone."""
        changed = list(self._put.values()), sorted(self._gone)
        self._put, self._gone = {}, set()
        return changed

    def _say_wait(self, wait: str) -> None:
        stated = self._waits[wait]
        # A request knows better than a decision when it began: `permission:` sorts after `note:`.
        if stated:
            self._say(stated[max(stated)])
        else:
            self._drop(wait)

    def _say(self, activity: Activity) -> None:
        self._put[activity.id] = activity
        self._gone.discard(activity.id)

    def _drop(self, activity: str) -> None:
        self._put.pop(activity, None)
        self._gone.add(activity)
