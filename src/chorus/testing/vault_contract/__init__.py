"""What every back end of the vault must do: run it on yours.

    from chorus.testing.vault_contract import BEHAVIOURS, Behaviour

    @pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.__name__)
    def test_my_vault(behaviour: Behaviour, tmp_path: Path) -> None:
        behaviour(lambda: MyVault(tmp_path))

`make_vault` is called as often as a behaviour needs a vault object; all of one behaviour's share what is kept. A back
end that cannot share (memory) gives the same object each time. Nothing here needs a test framework.
"""

from collections.abc import Callable

from chorus.testing.vault_contract.contents import (
    any_bytes_come_back,
    nothing_is_kept_at_first,
    others_see_what_was_flushed,
    pieces_follow_each_other,
    the_end_is_told,
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
    the_end_is_told,
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
"""Each takes a maker of vaults, all empty at first, and raises AssertionError when a promise of the port is broken."""
