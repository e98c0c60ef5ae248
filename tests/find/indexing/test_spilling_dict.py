"""Tests that state on disk behaves like state in memory."""

import cProfile
import pstats
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import IndexKeeper
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.find.indexing.spilling_dict import SpillingDict, decoder_of
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.memory import MemoryVault
from chorus.keep.vault.spill_file import SpillFile
from chorus.testing.builders import Session, tool_use
from chorus.testing.indexes import NEVER, keep, name_of, snapshot
from tests.core.conversation.talks import Talk
from tests.find.indexing.growing import grow, pieces_of, the_only
from tests.find.indexing.test_growing import reference

_KEYS = st.sampled_from([f"key {n}" for n in range(40)])
_STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "pop", "get", "in", "default", "grow", "spill"]), _KEYS), max_size=150
)


@given(_STEPS)
@settings(max_examples=150, deadline=None)
def test_whatever_is_done_it_is_a_dictionary(tmp_path_factory, steps):
    """Values that are put, changed in place, removed and read are those of a plain dictionary, spilled or not."""
    aside = SpillFile(tmp_path_factory.getbasetemp())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chorus.find.indexing.spilling_dict.HOT", 2)
        plain: dict[str, list[int]] = {}
        spilling: SpillingDict[list[int]] = SpillingDict(aside, {}, decoder_of(list[int]))
        for n, (step, key) in enumerate(steps):
            match step:
                case "put":
                    plain[key], spilling[key] = [n], [n]
                case "pop":
                    assert plain.pop(key, None) == spilling.pop(key, None)
                case "get":
                    assert plain.get(key) == spilling.get(key)
                case "in":
                    assert (key in plain) == (key in spilling)
                case "default":
                    assert plain.setdefault(key, [n]) == spilling.setdefault(key, [n])
                case "grow":
                    for each in (plain, spilling):
                        if (found := each.get(key)) is not None:
                            found.append(n)
                case _:
                    spilling.spill()
                    assert spilling.values_in_memory <= 4
            assert len(plain) == len(spilling)
            assert bool(plain) == bool(spilling)
    assert spilling.whole() == plain
    assert spilling.packed().whole(decoder_of(list[int])) == plain
    assert sorted(spilling) == sorted(plain)
    aside.close()


@pytest.mark.parametrize("seed", range(30))
def test_a_conversation_that_is_put_aside_goes_on_the_same(seed, tmp_path, monkeypatch):
    """A conversation that grows with almost no state in memory, resumed or not, gives the index of the whole."""
    monkeypatch.setattr("chorus.find.indexing.spilling_dict.HOT", 1)
    talk, random = Talk(seed, steps=25), Random(seed)
    monkeypatch.setattr("chorus.find.indexing.open_conversation.SAVE_EVERY", random.choice((1, 5, 20)))
    vault, index, aside = MemoryVault(), SqliteIndex.build(tmp_path), SpillFile(tmp_path)
    pieces = pieces_of(talk, talk.file.id)
    opened = None
    while grow(vault, pieces, random):
        kept = the_only(vault)
        if opened is None or random.random() < 0.2:
            opened = OpenConversation.resume(vault, kept, index.state(kept.name), index.all_entries(kept.name))
            opened = opened or OpenConversation(vault, kept)
        index.write(opened.writings(kept, saved_since=""))
        opened.spill(aside)
    name = the_only(vault).name

    assert snapshot(index, [name]) == snapshot(reference(talk, talk.file.id), [name])
    index.close()
    aside.close()


def test_a_long_conversation_takes_as_much_memory_as_a_short_one(tmp_path):
    """The memory for an open conversation does not grow with its length, and a write does not search through it."""
    vault, talk = FileVault(tmp_path / "home"), Session()
    keeper = IndexKeeper(vault, saved_since=NEVER)
    held = []
    for n in range(12):
        for m in range(150):
            talk.user(f"prompt {n} {m}")
            talk.assistant("answer", tool_use("Bash", {"command": "ls"}, id=f"call-{n}-{m}"))
            talk.tool_result(f"call-{n}-{m}", "files")
        keep(vault, talk)
        keeper.take([name_of(talk)])
        held.append(keeper._held_values)
    (opened,) = keeper._open.values()

    assert max(held) <= 11 * 2 * 128
    assert opened._session is not None
    assert isinstance(opened._session.fold.state.lines, SpillingDict)
    assert len(opened._session.fold.state.lines) == 12 * 150 * 4
    keeper.close()


def test_where_there_is_no_room_all_stays_in_memory(tmp_path, monkeypatch):
    """If the disk is full, the state stays in memory and nothing is lost."""
    monkeypatch.setattr("chorus.find.indexing.spilling_dict.HOT", 1)
    aside = SpillFile(tmp_path / "missing")
    spilling: SpillingDict[int] = SpillingDict(aside, {str(n): n for n in range(10)}, decoder_of(int))
    spilling.spill()

    assert spilling.values_in_memory == len(spilling) == 10


def test_what_is_saved_of_a_long_conversation_is_small(tmp_path):
    """Twenty open conversations are saved together, so the saved state of a spilled one is small."""
    vault, talk = FileVault(tmp_path), Session()
    for n in range(1_500):
        talk.user(f"prompt {n}")
        talk.assistant(f"answer {n}")
    keep(vault, talk)
    kept = the_only(vault)
    opened, aside = OpenConversation(vault, kept), SpillFile(tmp_path)
    list(opened.writings(kept, saved_since=NEVER))
    in_memory = opened.save()
    opened.spill(aside)
    put_aside = opened.save()

    assert in_memory is not None
    assert put_aside is not None
    assert len(put_aside) < len(in_memory) / 5
    aside.close()


def test_a_line_costs_no_more_after_many_turns(tmp_path):
    """The interactive client writes the end of every turn, and a new line does not read the earlier ends again."""

    def calls(turns):
        vault, talk = FileVault(tmp_path / str(turns)), Session()
        for n in range(turns):
            talk.user(f"prompt {n}")
            talk.assistant(f"answer {n}")
            talk.system("turn_duration", durationMs=1_000)
        keep(vault, talk)
        keeper = IndexKeeper(vault, saved_since=NEVER)
        keeper.catch_up()
        profile = cProfile.Profile()
        for _ in range(2):
            # The first line opens the conversation and costs more.
            talk.user("one more")
            keep(vault, talk)
            profile = cProfile.Profile()
            with profile:
                keeper.take([name_of(talk)])
        keeper.close()
        return pstats.Stats(profile).total_calls  # pyrefly: ignore - the stub leaves it out

    assert calls(400) <= 1.2 * calls(100)
