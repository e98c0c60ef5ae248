"""Tests that every back end of the index fulfils the contract of the port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chorus.find.index.memory import MemoryIndex
from chorus.find.index.rows import Answer
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.testing.index_contract import BEHAVIOURS, Behaviour, MakeIndex


@pytest.fixture
def makers(tmp_path: Path) -> Iterator[dict[str, MakeIndex]]:
    made: list[SqliteIndex] = []

    def built() -> SqliteIndex:
        made.append(SqliteIndex.build(tmp_path / str(len(made))))
        return made[-1]

    def finished() -> SqliteIndex:
        index = built()
        index.finish()
        return index

    yield {"memory": MemoryIndex, "SQLite": finished, "SQLite while it is built": built}
    for each in made:
        each.close()


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.__name__)
@pytest.mark.parametrize("back_end", ["memory", "SQLite", "SQLite while it is built"])
def test_the_index_contract(back_end: str, behaviour: Behaviour, makers: dict[str, MakeIndex]) -> None:
    """Each back end has each behaviour of the port."""
    behaviour(makers[back_end])


class Forgetful(MemoryIndex):
    """A faulty back end that leaves out the last hit."""

    def search(self, query, **more) -> Answer:
        answer = super().search(query, **more)
        answer.hits = answer.hits[:-1]
        return answer


def test_the_contract_sees_a_faulty_back_end() -> None:
    """The contract detects a back end that leaves out a hit."""
    (behaviour,) = [each for each in BEHAVIOURS if each.__name__ == "words_are_found"]

    with pytest.raises(AssertionError):
        behaviour(Forgetful)
