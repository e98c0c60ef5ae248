"""What a run left behind, taken in by the command that watched it; see `recording.after_run`."""

from chorus.cli.output import complain
from chorus.show.recorder import after_run
from chorus.steer.runs.run_folders import RunFolder


def take_in(folder: RunFolder) -> None:
    """Make everything that a run did findable, if it has ended. What goes wrong is said, and changes no exit code."""
    after_run.take_in(folder, complain)
