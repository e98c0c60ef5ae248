"""The names of streams and blobs."""

from chorus.keep.vault.keys import StreamKey, safe_name
from chorus.testing.vault_contract.samples import SEEN_AT, MakeVault


def keys_are_in_order(make_vault: MakeVault) -> None:
    """Every stream is listed once, sorted by name, sealed or not."""
    vault = make_vault()
    keys = [StreamKey(w, a, c, s) for w in "ba" for a in "yx" for c in ("c2", "c1") for s in ("session", "out", "zz")]
    for key in keys:
        vault.append(key, b"x\n", seen_at=SEEN_AT)
    vault.flush()
    for key in keys[::3]:
        vault.seal(key)

    assert list(vault.keys()) == sorted(keys)
    assert vault.streams("a/x/c1") == sorted(key for key in keys if key.owner == "a/x/c1")
    assert vault.streams("a/x/c") == vault.streams("z/x/c1") == []


def blobs_are_kept_by_content(make_vault: MakeVault) -> None:
    """The same bytes have the same name, any bytes are returned unchanged, and an unknown name returns None."""
    vault = make_vault()
    for data in (b"", b"text\n", bytes(range(256)) * 5_000):
        name = vault.put_blob(data)

        assert vault.put_blob(data) == name
        assert vault.blob(name) == data
        assert b"".join(vault.blob_pieces(name) or [b"nothing"]) == data
    vault.flush()
    assert make_vault().blob(name) == data
    assert vault.blob("0" * 64) is None
    assert vault.blob_pieces("0" * 64) is None


def wrong_names_are_refused(make_vault: MakeVault) -> None:
    """No name of a stream or blob leads out of the vault or to a file of another kind."""
    for name in (
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        ".hidden",
        "a\0b",
        "a\n",
        "x" * 121,
        "a.jsonl",
        "a.zst",
        "a.tmp",
    ):
        try:
            StreamKey("w", "main", name)
        except ValueError:
            assert StreamKey("w", "main", safe_name(name)).conversation.startswith("x-")
            continue
        raise AssertionError(f"{name!r} was accepted as a name")
    vault = make_vault()
    for name in ("", "..", "../../etc/passwd", "ab/cd"):
        try:
            found = vault.blob(name)
        except ValueError:
            continue
        assert found is None
