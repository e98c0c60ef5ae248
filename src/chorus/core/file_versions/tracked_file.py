"""One file while its steps are followed: what is known about it, and since when that is in doubt."""

from msgspec import structs

from chorus.core.file_versions.backup_steps import Backup
from chorus.core.file_versions.encodings import encoded_plainly, text_of
from chorus.core.file_versions.lines import counts
from chorus.core.file_versions.model import Cause, Certainty, FileVersions, Source, Version
from chorus.core.file_versions.steps import Doubt, FileCall, Step

FOUND_TEXT = "the text is as the client saw it; its line endings and its encoding are not recorded"
SAME_TEXT = "the text is the same, but its line endings may have changed"


class TrackedFile:
    """A file and its versions so far."""

    def __init__(self, path: str) -> None:
        self.file = FileVersions(path)
        self.doubts: list[Doubt] = []
        """What may have changed the file since its last version."""
        self._content: bytes | None = None
        self._text: str | None = None

    @property
    def latest(self) -> Version | None:
        return self.file.versions[-1] if self.file.versions else None

    @property
    def content(self) -> bytes | None:
        """The bytes of the latest version; None if they are not known, and if there is no file."""
        return self._content

    @property
    def text(self) -> str | None:
        """The text of the latest version as the client's tools see it; None if it is not known."""
        if self._text is None and self._content is not None:
            self._text = text_of(self._content)
        return self._text

    @property
    def is_exact(self) -> bool:
        """Whether the bytes on disk are surely those of the latest version."""
        latest = self.latest
        return latest is not None and latest.certainty is Certainty.EXACT and not self.doubts

    @property
    def is_gone(self) -> bool:
        """Whether there was no file at the latest version."""
        return self.latest is not None and self.latest.is_absent

    @property
    def doubt(self) -> str:
        """Why the latest version may not be what is on disk; "" if nothing speaks against it."""
        strong = [each for each in self.doubts if not each.is_pause]
        return (strong or self.doubts)[0].reason if self.doubts else ""

    @property
    def command(self) -> Doubt | None:
        """The only call that may have changed the file since its latest version; None if there are several or none."""
        calls = {each.call: each for each in self.doubts if not each.is_pause}
        return next(iter(calls.values())) if len(calls) == 1 else None

    def add(
        self,
        step: Step | Backup,
        content: bytes | None,
        certainty: Certainty,
        cause: Cause,
        reason: str = "",
        *,
        is_absent: bool = False,
        is_start: bool = False,
        source: Source = Source.RECORD,
    ) -> None:
        """Adds a version; the doubts so far are settled by it."""
        before, self.doubts = self._content, []
        latest = self.latest
        number = len(self.file.versions) + 1
        added = removed = None
        is_known_before = before is not None or latest is None or latest.is_absent
        if not is_start and is_known_before and (content is not None or is_absent):
            added, removed = counts(before or b"", content or b"")
        if content is not None:
            self.file.contents.add(number, content)
        self._content, self._text = content, None
        self.file.versions.append(
            Version(
                number=number,
                certainty=certainty,
                reason=reason,
                is_absent=is_absent,
                size_bytes=None if content is None else len(content),
                cause=cause,
                source=Source.BACKUP if isinstance(step, Backup) else source,
                call=step.call if isinstance(step, Step) else "",
                tool=step.tool if isinstance(step, Step) else "",
                conversation=step.conversation,
                agent=step.agent if isinstance(step, Step) else "",
                time=step.time,
                order=step.order,
                added=added,
                removed=removed,
                is_start=is_start,
            )
        )

    def is_overtaken(self, step: FileCall) -> bool:
        """Returns whether another agent changed the file while the call of a step ran: which came first is not sure."""
        latest = self.latest
        return latest is not None and latest.agent != step.agent and latest.order > step.started

    def confirm(self, content: bytes, source: Source) -> bool:
        """Takes the bytes of a source for the latest version, if nothing may have changed it and the text fits."""
        latest = self.latest
        if latest is None or latest.certainty is not Certainty.REBUILT or self.doubts or self.text is None:
            return False
        found = text_of(content)
        if found is None or found.removeprefix("\ufeff") != self.text.removeprefix("\ufeff"):
            return False
        self.settle(content, source)
        return True

    def settle(self, content: bytes | None, source: Source) -> None:
        """Takes this content, or that there was no file, for the latest version: it is exact, and nothing is in doubt.

        A version with another content has to be counted again (`recount`).
        """
        latest = self.latest
        assert latest is not None
        if content is not None and content != self._content:
            self.file.contents.add(latest.number, content)
        self._content, self._text, self.doubts = content, None, []
        self.file.versions[-1] = structs.replace(
            latest,
            certainty=Certainty.EXACT,
            reason="",
            size_bytes=None if content is None else len(content),
            is_absent=content is None,
            source=source,
        )

    def recount(self) -> None:
        """Counts the lines of the latest version again, after its content changed."""
        if len(self.file.versions) < 2 or self.file.versions[-1].is_start:
            return
        before = self.file.versions[-2]
        old = self.file.content(before)
        added, removed = (None, None)
        if old is not None or before.is_absent:
            added, removed = counts(old or b"", self._content or b"")
        self.file.versions[-1] = structs.replace(self.file.versions[-1], added=added, removed=removed)

    def weaken(self, reason: str) -> None:
        """Takes back that the latest version is exact."""
        if self.latest is not None and self.latest.certainty is Certainty.EXACT:
            changed = structs.replace(self.latest, certainty=Certainty.REBUILT, reason=reason)
            self.file.versions[-1] = changed

    def lose(self, step: Step | Backup, reason: str) -> None:
        """Adds that the content is not known from here on, if anything was known about it."""
        if self.latest is not None and self.latest.certainty is not Certainty.UNKNOWN:
            cause = Cause.COMMAND if isinstance(step, Doubt) and step.call else Cause.FOUND
            self.add(step, None, Certainty.UNKNOWN, cause, reason)

    def find_text(self, step: Step, text: str) -> None:
        """Notes the text that the client saw just before a step. A text that is not the known one is a version."""
        if self.latest is not None and self.text == text:
            if self.doubts and not self.is_settled:
                # The bytes may be others, but nothing that could be shown has changed.
                self.doubts = [structs.replace(self.doubts[0], reason=f"{self.doubt}; {SAME_TEXT}", is_pause=True)]
            return
        content = encoded_plainly(text)
        if content is None:
            self.lose(step, "the text that the client saw cannot be written as bytes")
            return
        command, is_start = self.command, self.latest is None
        cause = Cause.COMMAND if command and command.call else Cause.FOUND
        origin: Step = command if command and command.call else step
        if origin is step and not is_start:
            origin = structs.replace(Step(order=step.order, time=step.time, conversation=step.conversation))
        why = f"{self.doubt}; {FOUND_TEXT}" if self.doubt else FOUND_TEXT
        self.add(_plain(origin), content, Certainty.REBUILT, cause, why, is_start=is_start)

    @property
    def is_settled(self) -> bool:
        """Whether all doubts are about line endings only."""
        return all(each.is_pause for each in self.doubts)

    def find_absent(self, step: Step | Backup, certainty: Certainty, cause: Cause, reason: str = "") -> None:
        """Notes that the client found no file."""
        if self.is_gone:
            self.doubts = []
            return
        if self.latest is None and cause is not Cause.BACKUP:
            return
        command = self.command
        origin = _plain(command) if command and command.call and cause is not Cause.BACKUP else step
        self.add(origin, None, certainty, cause, reason, is_absent=True, is_start=self.latest is None)


def _plain(step: Step) -> Step:
    return Step(
        order=step.order,
        time=step.time,
        conversation=step.conversation,
        agent=step.agent,
        call=step.call,
        tool=step.tool,
    )
