"""Tests of continuous integration and the templates of the repository, which a YAML parser reads."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")


def workflow(path):
    """Returns a workflow as data. In YAML 1.1 `on` is a boolean, so it is read under its own name."""
    data = yaml.safe_load(path.read_text("utf-8"))
    data["on"] = data.pop(True)
    return data


def steps():
    """Returns each step of each job of each workflow."""
    return [step for path in WORKFLOWS for job in workflow(path)["jobs"].values() for step in job["steps"]]


def supported_pythons():
    """Returns the versions in the classifiers of the package."""
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    return [found.group(1) for each in classifiers if (found := re.fullmatch(r".*Python :: (3\.\d+)", each))]


def test_the_matrix_has_every_system_and_every_supported_python():
    """Each Python that the package names is tested on Linux, macOS and Windows."""
    job = workflow(GITHUB / "workflows" / "test.yml")["jobs"]["test"]
    matrix = job["strategy"]["matrix"]

    assert matrix == {
        "system": ["ubuntu-latest", "macos-latest", "windows-latest"],
        "python": supported_pythons(),
    }
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert job["strategy"]["fail-fast"] is False
    assert job["runs-on"] == "${{ matrix.system }}"


def test_dev_looks_for_every_supported_python():
    """`./dev` started by an old Python continues with any supported version."""
    (names,) = re.findall(r"^NEWER = \((.+)\)$", (ROOT / "dev").read_text("utf-8"), re.MULTILINE)

    assert sorted(re.findall(r"python(3\.\d+)", names)) == supported_pythons()


def test_continuous_integration_runs_dev_test_and_nothing_else():
    """The only command is the one that a contributor runs, in a form that also works on Windows."""
    assert [step["run"] for step in steps() if "run" in step] == ["python dev test"]


def test_every_step_has_a_name():
    """Every step has a name, so that people recognise a failed step."""
    assert [step for step in steps() if not step.get("name")] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read(path):
    """In every job, the token of a workflow can only read the repository."""
    data = workflow(path)

    assert data["permissions"] == {"contents": "read"}
    assert [name for name, job in data["jobs"].items() if "permissions" in job] == []
    assert "pull_request_target" not in data["on"]


def test_only_pinned_actions_of_the_platform_are_used():
    """An action is one of `actions/*`, pinned by a commit, and the checkout leaves no credentials behind."""
    used = [step for step in steps() if "uses" in step]

    assert [step["uses"] for step in used if not re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"])] == []
    checkouts = [step for step in used if step["uses"].startswith("actions/checkout@")]
    assert checkouts and all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_a_form_for_issues_asks_for_something(path):
    """A form has a name, a description, fields with different ids, and at least one required field."""
    form = yaml.safe_load(path.read_text("utf-8"))
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    ids = [each["id"] for each in fields]

    assert form["name"] and form["description"]
    assert len(ids) == len(set(ids))
    assert all(each["attributes"]["label"] for each in fields)
    assert any(each.get("validations", {}).get("required") for each in fields)


def test_there_is_a_form_for_each_kind_of_issue():
    """There are forms for bugs, changes of the client's format, and features."""
    assert [path.stem for path in FORMS] == ["bug", "feature", "format"]


def test_hooks_before_a_commit_download_nothing():
    """Every hook is local and calls a program of the checkout."""
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    hooks = [hook for repository in repositories for hook in repository["hooks"]]

    assert {repository["repo"] for repository in repositories} == {"local"}
    assert {hook["language"] for hook in hooks} == {"system"}
    assert all(hook["entry"].startswith((".venv/", "./dev ")) for hook in hooks)
