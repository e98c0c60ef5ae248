"""Builds packs by hand, so that anything in them can be wrong."""

import hashlib
import io
import json
import sys
import tarfile

from tests.support.keeping import AGENT, SESSION

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OLD = "/home/ann/app"
OLD_CLIENT = "/home/ann/.claude"
OLD_KEY = "-home-ann-app"
OLD_SESSIONS = f"{OLD_CLIENT}/projects/{OLD_KEY}"


def line(**fields):
    return json.dumps({"sessionId": SESSION, **fields}, separators=(",", ":")).encode() + b"\n"


def usual():
    """Returns the files of a small session, by their names in a pack."""
    return {
        f"project/{SESSION}.jsonl": line(type="user", cwd=OLD, message={"role": "user", "content": f"see {OLD}/x"}),
        f"project/{SESSION}/subagents/{AGENT}.jsonl": line(type="user", cwd=f"{OLD}/sub"),
        f"project/{SESSION}/subagents/{AGENT}.meta.json": b'{"agentType":"general-purpose"}',
        f"project/{SESSION}/tool-results/b1.txt": f"long output of {OLD}\n".encode() * 9,
        f"client/file-history/{SESSION}/0123456789abcdef@v1": b"before",
        "client/plans/a-plan.md": b"# Plan\n",
    }


def listed(files, **more):
    """Returns a list of contents that is true for these files, unless `more` changes it."""
    return {
        "format": "chorus-pack",
        "version": 1,
        "session": SESSION,
        "project": OLD,
        "configDir": OLD_CLIENT,
        "projectKey": OLD_KEY,
        "files": [
            {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in files.items()
        ],
        "leftOut": [],
        **more,
    }


def archive(files, contents=None, *, infos=()):
    """Returns the uncompressed pack. `infos` are further entries with their data."""
    out = io.BytesIO()
    contents = json.dumps(listed(files) if contents is None else contents).encode()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in [("contents.json", contents), *files.items()]:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info, data in infos:
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def packed(files=None, contents=None, *, infos=()):
    return zstd.compress(archive(usual() if files is None else files, contents, infos=infos))
