"""Tests of user lines that the client wrote with tags."""

import pytest

from chorus.core.conversation.items import Author
from chorus.core.views.blocks import Note, Output, Prose, Shell
from chorus.core.views.prompts import prompt


def test_a_command_is_shown_as_it_was_typed():
    """A slash command is shown as its name and its arguments, for any order of the tags."""
    text = "<command-message>on</command-message>\n<command-name>/x</command-name>\n<command-args>1 2</command-args>"

    assert prompt(Author.COMMAND, text) == [Prose(markdown="/x 1 2")]


def test_output_of_a_command_is_output():
    """The output of a local command is shown as output, and an empty output is not shown."""
    assert prompt(Author.COMMAND, "<local-command-stdout>Bye</local-command-stdout>") == [Output(text="Bye")]
    assert prompt(Author.COMMAND, "<bash-input>ls</bash-input>") == [Shell(command="ls")]
    assert prompt(Author.COMMAND, "<bash-stdout></bash-stdout><bash-stderr>no</bash-stderr>") == [
        Output(text="no", is_error=True)
    ]
    assert prompt(Author.COMMAND, "<local-command-caveat>For the model.</local-command-caveat>") == []


def test_a_notification_is_its_summary_and_its_result():
    """The notification of a task is shown as its summary and its result."""
    text = (
        "<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n"
        "<summary>It broke</summary>\n<result>**why**</result>\n</task-notification>"
    )

    assert prompt(Author.NOTIFICATION, text) == [Note(text="It broke", level="warning"), Prose(markdown="**why**")]


@pytest.mark.parametrize("tag", ['version="2"', "\n  at='a > b'  kind"])
def test_tags_of_a_notification_may_have_attributes(tag):
    """Attributes in the tags of a notification change nothing about its row: no tag is shown."""
    text = (
        f"<task-notification {tag}>\n<task-id {tag}>b1</task-id>\n<status {tag}>failed</status>\n"
        f"<summary {tag}>It broke</summary>\n<result {tag}><b class='x'>why</b></result>\n</task-notification>"
    )

    shown = prompt(Author.NOTIFICATION, text)

    assert shown == [Note(text="It broke", level="warning"), Prose(markdown="<b class='x'>why</b>")]


def test_words_that_mention_a_tag_stay_words():
    """Tags are read only in lines that the client wrote itself."""
    text = "What does <command-name>/x</command-name> do?"

    assert prompt(Author.HUMAN, text) == [Prose(markdown=text)]


@pytest.mark.parametrize("author", list(Author))
@pytest.mark.parametrize("text", ["", "<", "<a>", "<command-name>", "<task-notification><a></task-notification>"])
def test_no_text_is_too_odd(author, text):
    """Unclosed or empty tags raise no error."""
    prompt(author, text)
