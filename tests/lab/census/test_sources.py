"""Tests of the check of sources before work starts."""

import os
import sys

import pytest

from chorus.errors import SourceUnreadable
from chorus.lab.census.sources import streams_of


def test_each_stream_once(tmp_path):
    """A file that is named twice, and again by its folder, is one stream."""
    path = tmp_path / "a.jsonl"
    path.touch()

    assert streams_of([str(path), str(tmp_path), str(path), "-"]) == [str(path), "-"]


def test_a_folder_without_streams_is_an_error(tmp_path):
    """A folder without streams gives an error, because that is clearer than zeros."""
    with pytest.raises(SourceUnreadable, match=r"no \.jsonl file"):
        streams_of([str(tmp_path)])


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no named pipes in folders")
def test_a_pipe_in_a_folder_is_passed_over(tmp_path):
    """A pipe in a folder is skipped, because reading it would wait without end; a pipe named directly is read."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "a.jsonl").touch()

    assert streams_of([str(tmp_path)]) == [str(tmp_path / "a.jsonl")]
    assert streams_of([str(tmp_path / "pipe.jsonl")]) == [str(tmp_path / "pipe.jsonl")]
