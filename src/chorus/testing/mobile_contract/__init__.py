"""The contract of `chorus.mobile.v1`: what every server must do. Run it on yours:

    from chorus.testing.mobile_contract import BEHAVIOURS, Behaviour

    @pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.__name__)
    def test_my_server(behaviour: Behaviour) -> None:
        behaviour(MyWorld())

A `World` opens sockets to the server, lets a conversation grow and an agent ask. `Phone` stores frames as a client
must, and fails if a server sends something twice. For clients there are cases as data (`clients`). Nothing here needs a
test framework.
"""

from collections.abc import Callable

from chorus.testing.mobile_contract.clients import client_cases
from chorus.testing.mobile_contract.following import (
    a_late_confirmation_loses_nothing,
    a_phone_that_comes_back_misses_nothing,
    a_phone_that_dropped_a_conversation_gets_it_again,
    a_position_that_does_not_exist_begins_again,
    a_replay_gives_the_same_messages,
    an_interrupted_replay_continues,
    what_happens_is_sent_in_order,
)
from chorus.testing.mobile_contract.overview import the_board_is_sent_once_and_follows_what_happens
from chorus.testing.mobile_contract.permissions import (
    a_request_is_sent_once_and_then_resolved,
    hello_names_the_requests_that_wait,
)
from chorus.testing.mobile_contract.phone import Phone
from chorus.testing.mobile_contract.saying import (
    a_socket_begins_with_subscribe,
    another_version_is_answered_and_let_go,
    hello_says_what_the_login_may_do,
    unknown_fields_are_ignored,
    what_cannot_be_read_is_answered,
)
from chorus.testing.mobile_contract.world import OpenSocket, World

__all__ = ["BEHAVIOURS", "Behaviour", "OpenSocket", "Phone", "World", "client_cases"]

Behaviour = Callable[[World], None]
BEHAVIOURS: list[Behaviour] = [
    hello_says_what_the_login_may_do,
    another_version_is_answered_and_let_go,
    a_socket_begins_with_subscribe,
    unknown_fields_are_ignored,
    what_cannot_be_read_is_answered,
    what_happens_is_sent_in_order,
    a_phone_that_comes_back_misses_nothing,
    a_position_that_does_not_exist_begins_again,
    a_replay_gives_the_same_messages,
    a_phone_that_dropped_a_conversation_gets_it_again,
    a_late_confirmation_loses_nothing,
    an_interrupted_replay_continues,
    a_request_is_sent_once_and_then_resolved,
    hello_names_the_requests_that_wait,
    the_board_is_sent_once_and_follows_what_happens,
]
"""All behaviours of a server."""
