"""The contract of the index: what every back end must do. Use it like `chorus.testing.vault_contract`."""

from collections.abc import Callable

from chorus.testing.index_contract.counting import (
    activities_count_once,
    sums_are_limited_to_a_span,
    usage_is_grouped,
    waiting_and_limits_are_known,
)
from chorus.testing.index_contract.feeding import growth_is_reported_entry_by_entry, the_feed_has_no_gap
from chorus.testing.index_contract.finding import (
    answers_are_counted,
    answers_come_in_pages,
    every_field_can_be_asked,
    fields_are_asked,
    no_query_is_too_odd,
    regular_expressions_are_asked_of_the_text,
    sequences_are_found,
    the_best_come_first_when_asked,
    words_are_found,
    words_may_be_spread,
)
from chorus.testing.index_contract.money import messages_count_once
from chorus.testing.index_contract.reading import (
    conversations_are_listed,
    entries_are_found_by_number,
    facts_are_kept,
    nothing_is_known_at_first,
    pages_are_in_order,
    some_conversations_are_asked,
)
from chorus.testing.index_contract.sessions import MakeIndex as MakeIndex
from chorus.testing.index_contract.writing import (
    a_whole_writing_replaces,
    growing_is_the_same_as_whole,
    what_is_gone_is_gone,
    writing_again_changes_nothing,
)

Behaviour = Callable[[MakeIndex], None]
BEHAVIOURS: tuple[Behaviour, ...] = (
    nothing_is_known_at_first,
    words_are_found,
    every_field_can_be_asked,
    fields_are_asked,
    answers_are_counted,
    answers_come_in_pages,
    the_best_come_first_when_asked,
    words_may_be_spread,
    regular_expressions_are_asked_of_the_text,
    sequences_are_found,
    conversations_are_listed,
    some_conversations_are_asked,
    pages_are_in_order,
    entries_are_found_by_number,
    growing_is_the_same_as_whole,
    a_whole_writing_replaces,
    writing_again_changes_nothing,
    what_is_gone_is_gone,
    messages_count_once,
    activities_count_once,
    sums_are_limited_to_a_span,
    usage_is_grouped,
    waiting_and_limits_are_known,
    the_feed_has_no_gap,
    growth_is_reported_entry_by_entry,
    facts_are_kept,
    no_query_is_too_odd,
)
"""Each takes a function that returns a new, empty index, and raises AssertionError when the contract is broken."""
