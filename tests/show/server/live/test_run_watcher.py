"""Tests what pages see of runs."""

import pytest

from chorus.core.protocol.launch import Launch
from chorus.find.costs.conversation_costs import Costs
from chorus.keep.vault.files import FileVault
from chorus.show.server.live.run_watcher import RunWatcher
from chorus.show.server.services.readers import Readers
from tests.support.runs import SESSION, described, named

OTHER = f"{SESSION}7"


@pytest.mark.parametrize(
    ("launch", "is_kept"),
    [
        (Launch(session=OTHER), False),
        (Launch(session=OTHER, resumes=OTHER), True),
        (Launch(session=OTHER, resumes=f"{SESSION}1", is_fork=True), False),
    ],
    ids=["new", "resumed", "forked"],
)
def test_a_run_that_continues_a_conversation_has_one_to_show(tmp_path, launch, is_kept):
    """A page does not wait for a conversation that existed before the run began."""
    vault = FileVault(tmp_path)
    readers = Readers(vault, Costs(tmp_path).cost_of, threads=1, waiting=1)
    folder = named(tmp_path, "abc")
    described(folder, 7, launch=launch, vault=str(tmp_path))
    try:
        shown = RunWatcher(tmp_path, tmp_path, readers).shown(folder)
    finally:
        readers.close()

    assert shown.is_kept is is_kept
