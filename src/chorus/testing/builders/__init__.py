"""Builders of transcripts: lines of every dialect, with sensible defaults and ids that are the same in every run.

    session = Session()
    session.user("Rename the option")
    session.assistant(thinking("First look."), tool_use("Read", {"file_path": "/w/a.py"}, id="toolu_1"))
    session.tool_result("toolu_1", "import os")
    session.assistant("Done.", stop="end_turn")
    bytes(session)                                   # a session file
    wrap(bytes(session), 80)                         # the same, as a terminal with 80 columns shows it
    lay_out(tmp_path, session, Layout.BELOW)         # the same, written to disk as a client does it

Nothing here needs a test framework. All texts are invented; none comes from a client.
"""

from chorus.testing.builders.blocks import image as image
from chorus.testing.builders.blocks import text as text
from chorus.testing.builders.blocks import thinking as thinking
from chorus.testing.builders.blocks import tool_result as tool_result
from chorus.testing.builders.blocks import tool_use as tool_use
from chorus.testing.builders.corpus import corpus as corpus
from chorus.testing.builders.disk import Layout as Layout
from chorus.testing.builders.disk import lay_out as lay_out
from chorus.testing.builders.flat import Flat as Flat
from chorus.testing.builders.lines import Line as Line
from chorus.testing.builders.lines import encode as encode
from chorus.testing.builders.lines import encode_all as encode_all
from chorus.testing.builders.session import Session as Session
from chorus.testing.builders.stream import Run as Run
from chorus.testing.builders.terminal import wrap as wrap
