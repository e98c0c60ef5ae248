"""The contract of the vault: what every back end must do. Run it on yours:

    from chorus.testing.vault_contract import BEHAVIOURS, Behaviour

    @pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.__name__)
    def test_my_vault(behaviour: Behaviour, tmp_path: Path) -> None:
        behaviour(lambda: MyVault(tmp_path))

`make_vault` is called each time that a behaviour needs a vault object; all objects of one behaviour must share their
data. A back end that cannot share (memory) returns the same object each time. Nothing here needs a test framework.
"""

from collections.abc import Callable

from chorus.testing.vault_contract.contents import (
    any_bytes_come_back,
    append_returns_the_tail,
    nothing_is_kept_at_first,
    others_see_what_was_flushed,
    pieces_follow_each_other,
)
from chorus.testing.vault_contract.lines import (
    a_line_is_found_by_its_place,
    ids_are_stable_and_unique,
    lines_say_where_they_stood,
    messages_are_a_slice_of_their_line,
)
from chorus.testing.vault_contract.names import (
    blobs_are_kept_by_content,
    keys_are_in_order,
    wrong_names_are_refused,
)
from chorus.testing.vault_contract.revisions import (
    a_revision_begins_with_its_first_line,
    a_revision_follows_what_held,
    a_source_cut_to_a_prefix_goes_on,
    a_source_that_was_only_cut_is_a_revision,
    more_than_was_kept_cannot_hold,
)
from chorus.testing.vault_contract.samples import SOURCES as SOURCES
from chorus.testing.vault_contract.samples import MakeVault as MakeVault
from chorus.testing.vault_contract.sealing import (
    sealing_changes_nothing_to_a_reader,
    sealing_nothing_is_nothing,
    what_is_forgotten_is_gone,
)

Behaviour = Callable[[MakeVault], None]
BEHAVIOURS: tuple[Behaviour, ...] = (
    nothing_is_kept_at_first,
    any_bytes_come_back,
    pieces_follow_each_other,
    append_returns_the_tail,
    lines_say_where_they_stood,
    ids_are_stable_and_unique,
    messages_are_a_slice_of_their_line,
    a_revision_follows_what_held,
    a_source_cut_to_a_prefix_goes_on,
    a_source_that_was_only_cut_is_a_revision,
    a_revision_begins_with_its_first_line,
    more_than_was_kept_cannot_hold,
    keys_are_in_order,
    blobs_are_kept_by_content,
    sealing_changes_nothing_to_a_reader,
    sealing_nothing_is_nothing,
    what_is_forgotten_is_gone,
    a_line_is_found_by_its_place,
    others_see_what_was_flushed,
    wrong_names_are_refused,
)
"""Each takes a function that returns a vault, empty at first, and raises AssertionError when the contract is broken."""
