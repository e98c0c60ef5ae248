"""Tests that `verify` and `doctor` find and name any kind of damage to any file of the vault."""

import random
import shutil
import time

import pytest

from chorus.base.config import Config
from chorus.keep.archive import checkup
from chorus.keep.restore.blobs import blob_names
from chorus.keep.restore.checking import check
from chorus.keep.vault.files import FileVault
from tests.support.damage import KINDS, build, damage, targets


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A client's folder and its vault, which no test changes."""
    return build(tmp_path_factory.mktemp("made"))


def verified(root):
    vault = FileVault(root)
    return {f"{each.stream} {each.reason}" for each in check(vault, blob_names(root)).damaged}


def diagnosed(root, client):
    return {each.where for each in checkup.check(FileVault(root), client, Config(), now_s=time.time()).damaged}


def name_of(root, path):
    """Returns the name that both commands use for a file."""
    parts = path.relative_to(root).parts
    if parts[0] == "blobs":
        return path.name
    file = parts[-1].removesuffix(".proof").removesuffix(".zst")
    if parts[0] != "conversations":
        return "/".join((*parts[:-1], file))
    stem = file.removesuffix(".jsonl")
    return "/".join((*parts[1:-1], stem) if len(parts) == 5 else (*parts[1:-1], stem, "session"))


def campaign(made, folder, count, seed):
    """Returns the damages that one of the two commands did not name."""
    client, root = made
    chance = random.Random(seed)
    silent, done = [], 0
    copy = folder / "copy"
    while done < count:
        shutil.copytree(root, copy, copy_function=shutil.copy2)
        path, kind = chance.choice(targets(copy)), KINDS[done % len(KINDS)]
        if damage(path, kind, chance):
            done += 1
            name = name_of(copy, path)
            found, told = (any(name in each for each in where) for where in (verified(copy), diagnosed(copy, client)))
            if not found or not told:
                silent.append((name, kind, found, told))
        shutil.rmtree(copy)
    return silent


def test_a_vault_without_damage_is_clean(made):
    """Both commands report no damage in a vault that Chorus wrote."""
    client, root = made

    assert verified(root) == set()
    assert diagnosed(root, client) == set()


def test_every_damage_is_found(made, tmp_path):
    """Both commands name any file that has flipped, zeroed, cut, removed, doubled, swapped or added bytes."""
    assert campaign(made, tmp_path, 63, seed=1) == []


@pytest.mark.long
def test_a_thousand_damages_are_found(made, tmp_path):
    """Both commands name each of a thousand damages."""
    assert campaign(made, tmp_path, 1_000, seed=2) == []
