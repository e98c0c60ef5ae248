"""Tests annotations, which are stored as changes with a proof."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chorus.errors import ChorusError
from chorus.keep.archive.annotations import NAME, NOTHING, Annotation, Annotations, Change, checked, forget_annotations
from chorus.keep.vault import proof
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.verification import MEANINGS, accept

TIME = "2026-02-01T00:00:00.000Z"
ONE, OTHER = "shop/main/one", "shop/main/other"


def say(root, name=ONE, **change) -> Annotation:
    return Annotations(root).change(name, Change(**change), time=TIME)


def test_the_last_word_on_each_field_counts(tmp_path):
    """A change keeps the fields that it does not name, and other readers see it at once.

    An empty title or note removes the old one.
    """
    known = Annotations(tmp_path)
    assert known.of(ONE) == NOTHING and known.all() == {}
    say(tmp_path, title="  Checkout\n bug ", is_starred=True)
    say(tmp_path, tags=("release", "#Release", "a b"), note="first\nsecond ")

    assert known.of(ONE) == Annotation(
        title="Checkout bug", is_starred=True, tags=("release", "a-b"), note="first\nsecond"
    )
    assert known.of(OTHER) == NOTHING
    assert say(tmp_path, title="", note="", is_starred=False, tags=()) == NOTHING == known.of(ONE)


def test_what_cannot_be_kept_is_refused(tmp_path):
    """A value that is too long, too many tags, or an empty tag gives an error of one line, and nothing is written."""
    for change in (
        Change(title="x" * 301),
        Change(note="x" * 10_001),
        Change(tags=("x" * 61,)),
        Change(tags=("#",)),
        Change(tags=tuple(map(str, range(21)))),
    ):
        with pytest.raises(ChorusError):
            Annotations(tmp_path).change(ONE, change, time=TIME)
    assert not (tmp_path / "state" / NAME).exists()


def test_damage_is_noticed_and_the_rest_counts(tmp_path):
    """A line that was changed by hand is ignored, the proof reports it, and a person can accept the file."""
    vault = FileVault(tmp_path)
    (tmp_path / "conversations").mkdir()
    for n in range(3):
        say(tmp_path, f"shop/main/{n}", title=f"Title {n}")
    path = tmp_path / "state" / NAME
    path.write_bytes(path.read_bytes().replace(b"Title 1", b"Title X"))

    assert {name: each.title for name, each in Annotations(tmp_path).all().items()} == {
        "shop/main/0": "Title 0", "shop/main/2": "Title 2",
    }  # fmt: skip
    assert NAME in MEANINGS and proof.objection(path) is not None
    assert accept(vault, NAME) and proof.objection(path) is None


def test_what_was_said_goes_with_what_is_forgotten(tmp_path):
    """Forgetting a conversation removes its annotations from the file. The rest stays proved, and can be changed."""
    known = Annotations(tmp_path)
    for name in (ONE, OTHER, ONE):
        say(tmp_path, name, note=f"secret of {name}")
    assert known.of(ONE).note
    forget_annotations(tmp_path, {"one"})
    path = tmp_path / "state" / NAME

    assert b"secret of shop/main/one" not in path.read_bytes()
    assert known.all() == {OTHER: Annotation(note=f"secret of {OTHER}")}
    assert proof.objection(path) is None
    say(tmp_path, OTHER, is_starred=True)
    assert proof.objection(path) is None and known.of(OTHER).is_starred and not known._journal.flaws[1:]


def test_many_may_speak_at_once(tmp_path):
    """Several threads write at the same time, and no acknowledged change is lost."""

    def work(n: int) -> None:
        for k in range(5):
            say(tmp_path, f"w/a/{n}-{k}", tags=(f"t{k}",))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(Annotations(tmp_path).all()) == 20


@settings(max_examples=60)
@given(st.text(max_size=40), st.lists(st.text(max_size=20), max_size=4), st.text(max_size=60))
def test_any_text_is_kept_or_refused(tmp_path_factory, title, tags, note):
    """Titles, tags and notes may be any text, also halves of characters, and the checked text comes back."""
    try:
        change = checked(Change(title=title, tags=tuple(tags), note=note))
    except ChorusError:
        return
    root = tmp_path_factory.mktemp("said")
    said = Annotations(root).change(ONE, change, time=TIME)
    assert Annotations(root).of(ONE) == said
    assert said.title == (change.title or None) and said.tags == change.tags and said.note == (change.note or None)
    assert all(tag and not any(map(str.isspace, tag)) and "," not in tag for tag in said.tags)
