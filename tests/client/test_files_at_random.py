"""Tests file versions with the real client and scripts made at random."""

import random

import pytest

from tests.cli.commands import run
from tests.client.file_truth import CHECKPOINTS, WatchingApi, compared

SAYS = [{"type": "text", "text": "Done."}]
STARTS = ("", "\ufeff")
ENDINGS = ("\n", "\r\n")
LETTERS = "abcdefgh ijkl\tmn“”é☃\U0001f600\u2028xyz"


class Script:
    """Makes the steps of a model that works on some files, with what it expects of them."""

    def __init__(self, seed, work, *, shell):
        self.chance = random.Random(seed)
        self.work = work
        self.shell = shell
        self.steps = []
        self.texts = {}
        self._number = 0
        for number in range(5):
            self._start(f"f{number}.txt")

    def _start(self, name):
        lines = [self._line() for _ in range(self.chance.randint(2, 30))]
        text = "\n".join(lines) + self.chance.choice(("", "\n", "\n\n"))
        self.texts[name] = text
        data = (self.chance.choice(STARTS) + text.replace("\n", self.chance.choice(ENDINGS))).encode()
        (self.work / name).write_bytes(data)

    def _line(self):
        self._number += 1
        return f"{self._number:04} " + "".join(self.chance.choices(LETTERS, k=self.chance.randint(0, 40)))

    def _call(self, name, **given):
        self._number += 1
        self.steps.append([{"type": "tool_use", "id": f"toolu_any_{self._number:05}", "name": name, "input": given}])

    def make(self, steps):
        for _ in range(steps):
            kinds = ["edit"] * 8 + ["write", "create", "read", "all", "wrong", "look"] + ["shell"] * (2 * self.shell)
            getattr(self, f"_{self.chance.choice(kinds)}")(self.chance.choice(sorted(self.texts)))
        return [*self.steps, SAYS]

    def _read(self, name):
        self._call("Read", file_path=str(self.work / name))

    def _edit(self, name):
        """Reads first, as the client demands, and replaces, adds or removes lines."""
        text = self.texts[name]
        lines = [line for line in text.split("\n") if line.strip() and text.count(line) == 1]
        if not lines:
            return
        self._read(name)
        old = self.chance.choice(lines)
        new = self.chance.choice((self._line(), f"{old}\n{self._line()}", "", old.upper() + "x", f"\t{old}"))
        self._call("Edit", file_path=str(self.work / name), old_string=old, new_string=new)
        self.texts[name] = text.replace(old, new)

    def _all(self, name):
        if "é" in self.texts[name]:
            self._read(name)
            self._call("Edit", file_path=str(self.work / name), old_string="é", new_string="ee", replace_all=True)
            self.texts[name] = self.texts[name].replace("é", "ee")

    def _write(self, name):
        self._read(name)
        self.texts[name] = "\n".join(self._line() for _ in range(self.chance.randint(0, 9)))
        self._call("Write", file_path=str(self.work / name), content=self.texts[name])

    def _create(self, _):
        name = f"sub/new{self._number}.txt"
        self.texts[name] = "\n".join(self._line() for _ in range(4)) + "\n"
        content = self.texts[name].replace("\n", self.chance.choice(ENDINGS))
        self._call("Write", file_path=str(self.work / name), content=content)

    def _wrong(self, name):
        self._call("Edit", file_path=str(self.work / name), old_string="is not in the file", new_string="x")

    def _look(self, name):
        self._call("Bash", command=f"cat {name} | wc -l && git status; ls -la", description="look")

    def _shell(self, name):
        command = self.chance.choice(
            (
                "sed -i 's/a/A/' {0}",
                "printf 'more\\r\\n' >> {0}",
                "cp {0} {0}.bak && mv {0}.bak {0}",
                "touch {0}",
                "tr -d '\\r' < {0} > t && cat t > {0}",
            )
        )
        self._call("Bash", command=command.format(name), description="change")


@pytest.fixture
def api():
    with WatchingApi(SAYS) as api:
        yield api


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 13))])
@pytest.mark.parametrize("shell", [False, True], ids=["calls", "shell"])
def test_versions_of_a_random_script(client, api, seed, shell):
    """No exact version differs from the disk; without changes by a shell, all versions but one at most are exact."""
    client.environment |= {CHECKPOINTS: "true", "IS_SANDBOX": "1"}
    api.folder = client.workspace
    api._answers = Script(seed * 2 + shell, client.workspace, shell=shell).make(24)
    session = client.run("-p", "Begin", "--permission-mode", "bypassPermissions")["session_id"]
    assert run("sync").exit_code == 0
    figures, _ = compared(client.home.parent.parent / "chorus", session, api)
    print(f"\nfiles at random: {figures.versions} versions, {figures.exact} exact, {len(figures.wrong)} wrong")

    assert figures.wrong == []
    assert figures.versions > 3
    assert shell or figures.exact >= figures.versions - 1
