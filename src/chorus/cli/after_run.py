"""Record and index a run after the command that watched it returns; see `chorus.show.recorder.after_run`."""

from chorus.cli.output import complain
from chorus.show.recorder import after_run
from chorus.steer.runs.run_folders import RunFolder


def take_in(folder: RunFolder) -> None:
    """Record and index everything that an ended run did. Problems are reported and do not change the exit code."""
    after_run.take_in(folder, complain)
