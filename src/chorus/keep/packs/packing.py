"""Makes a pack from the vault: the original bytes of a conversation's files, with their lengths and digests."""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.base.regular_files import is_special
from chorus.core.records.session_ids import is_session_id
from chorus.errors import ChorusError
from chorus.keep.archive.listing import Kept
from chorus.keep.archive.manifest import manifest_of
from chorus.keep.packs import tar_blocks
from chorus.keep.packs.contents import (
    CLIENT,
    CONTENTS,
    FORMAT,
    MAX_FILES,
    PROJECT,
    VERSION,
    Contents,
    NotPacked,
    PackedFile,
    wrong_with,
)
from chorus.keep.packs.reading import FREE_BYTES, MAX_BYTES, MAX_RATIO
from chorus.keep.packs.tar_blocks import TarEntry
from chorus.keep.restore.originals import Original, plan, working_folders
from chorus.keep.restore.restoring import Missing, whole_pieces
from chorus.keep.restore.writing import ExistingFile, compare_existing, write
from chorus.keep.vault.port import Vault

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 9, zstd.CompressionParameter.checksum_flag: 1}


class Packed(Struct, frozen=True):
    """What a pack contains."""

    path: Path
    size_bytes: int
    """Of the pack."""
    contents: Contents
    grown: str | None
    """The session file, if it has more bytes now than the vault recorded."""

    @property
    def is_large(self) -> bool:
        """Whether it is unpacked only with `--large`."""
        total = self.contents.size_bytes
        return total > MAX_BYTES or (total > FREE_BYTES and total > MAX_RATIO * self.size_bytes)


def pack(vault: Vault, kept: Kept, to: Path, *, is_forced: bool) -> Packed:
    """Write the pack of a conversation, completely or not at all.

    Raises ChorusError if the session itself cannot be restored, if the file exists and `is_forced` is not set, or if
    it is a pipe or a device.
    Everything else that the vault does not have is listed in the pack as left out.
    """
    if is_special(to):
        raise ChorusError(f"{to}: a pipe or a device is not replaced; name a file with -o")
    target = Original(to.parent, (to.name,), "")
    if compare_existing(target, ()) is not ExistingFile.NOTHING and not is_forced:
        raise ChorusError(f"{to}: exists already; pass --force to replace it, or -o another file")
    planned = plan(vault, kept, to=Path("pack"), revision=None)
    if not is_session_id(planned.session):
        raise ChorusError(f"{kept.id}: its session file is named {planned.session!r}, so the client cannot resume it")
    main = kept.session_file
    assert main is not None
    source = manifest_of(vault, kept).sources.get(main.stream)
    files: list[tuple[PackedFile, Original]] = []
    left_out = [NotPacked(each.path, each.reason) for each in planned.left_out]
    for original in planned.originals:
        name = _name(original)
        if reason := wrong_with(name, planned.session):
            left_out.append(NotPacked(name, f"its name {reason}"))
            continue
        try:
            files.append((_measured(vault, original, name), original))
        except Missing as missing:
            left_out.append(NotPacked(name, str(missing)))
    if len(files) > MAX_FILES:
        raise ChorusError(f"{kept.id}: it has {len(files):,} files; a pack has at most {MAX_FILES:,}")
    contents = Contents(
        format=FORMAT,
        version=VERSION,
        session=planned.session,
        project=planned.cwd or next(working_folders(vault, main), None),
        config_dir=source.config_dir if source else None,
        project_key=planned.originals[0].parts[1],
        files=[file for file, _ in files],
        left_out=left_out,
    )
    size_bytes = write(target, _compressed(_archive(vault, contents, files)), replace=is_forced)
    return Packed(to, size_bytes, contents, _grown(source.path if source else None, contents.files[0].size))


def _name(original: Original) -> str:
    match original.parts:
        case ("projects", _, *below):
            return "/".join((PROJECT, *below))
        case parts:
            return "/".join((CLIENT, *parts))


def _measured(vault: Vault, original: Original, name: str) -> PackedFile:
    digest, size_bytes = hashlib.sha256(), 0
    for piece in whole_pieces(vault, original):
        digest.update(piece)
        size_bytes += len(piece)
    return PackedFile(name, size_bytes, digest.hexdigest())


def _archive(vault: Vault, contents: Contents, files: list[tuple[PackedFile, Original]]) -> Iterator[bytes]:
    """Yield the uncompressed pack."""
    listed = msgspec.json.format(msgspec.json.encode(contents), indent=1)
    yield tar_blocks.header(TarEntry(CONTENTS, len(listed))) + listed + tar_blocks.padding(len(listed))
    for file, original in files:
        yield tar_blocks.header(TarEntry(file.name, file.size))
        digest = hashlib.sha256()
        try:
            for piece in whole_pieces(vault, original):
                digest.update(piece)
                yield piece
        except Missing as missing:
            raise _changed(file) from missing
        if digest.hexdigest() != file.sha256:
            raise _changed(file)
        yield tar_blocks.padding(file.size)
    yield tar_blocks.END


def _changed(file: PackedFile) -> ChorusError:
    return ChorusError(f"{file.name}: changed in the vault while it was packed; try again")


def _compressed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zstd.ZstdCompressor(options=_OPTIONS)
    for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()


def _grown(source: str | None, stored_bytes: int) -> str | None:
    try:
        is_longer = source is not None and Path(source).stat().st_size > stored_bytes
    except (OSError, ValueError):
        return None
    return source if is_longer else None
