"""Tests that pictures of records are recognised only by their bytes and are not too large."""

import struct
from base64 import b64encode

import pytest

from chorus.core.records.model.blocks import Source
from chorus.core.views.blocks import Image
from chorus.show.transcripts.pictures import MAX_BYTES, detect, picture_of
from chorus.show.transcripts.places import image as image_at
from chorus.testing.builders import Session, image, text, tool_use
from chorus.testing.builders.blocks import PIXEL, tool_result
from tests.show.transcripts.reading import read


def png(width, height):
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x06\0\0\0"


def jpeg(width, height):
    app = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + b"\0" * 9
    frame = b"\xff\xc2" + struct.pack(">HBHH", 11, 8, height, width) + b"\x01\x11\0\x3f\0"
    return b"\xff\xd8" + app + frame


def gif(width, height):
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0"


def webp_extended(width, height):
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + size


def webp_lossless(width, height):
    bits = (width - 1) | (height - 1) << 14
    return b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + bits.to_bytes(4, "little") + b"\0"


def webp_plain(width, height):
    return b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)


@pytest.mark.parametrize(
    ("make", "media_type"),
    [
        (png, "image/png"),
        (jpeg, "image/jpeg"),
        (gif, "image/gif"),
        (webp_extended, "image/webp"),
        (webp_lossless, "image/webp"),
        (webp_plain, "image/webp"),
    ],
)
def test_kinds_and_sizes(make, media_type):
    """E6: the first bytes give the kind and the size of a picture. A picture with too many pixels is refused."""
    found = detect(make(640, 480))

    assert found is not None
    assert (found.media_type, found.width, found.height) == (media_type, 640, 480)
    assert detect(make(0x3FFF, 0x3FFF)) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg onload='alert(1)'/>",
        b"<html>",
        b"%PDF-1.7",
        b"BM" + b"\0" * 60,
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xe0\0\0" * 100,
        b"GIF89a",
        b"RIFF\0\0\0\0WEBPVP8L",
        png(0, 5),
        png(1, 1) + b"\0" * MAX_BYTES,
    ],
)
def test_anything_else_is_no_picture(data):
    """E6: data of another kind, and data that is cut or too large, is not shown, whatever its record claims."""
    assert detect(data) is None
    assert picture_of(Source(type="base64", media_type="image/png", data=b64encode(data).decode())) is None


def test_a_picture_that_is_no_base64():
    """Data that cannot be decoded is not a picture."""
    assert picture_of(Source(data="%%%not base64")) is None
    assert picture_of(Source(url="https://example.com/a.png")) is None


def test_each_picture_of_a_page_can_be_had(tmp_path):
    """Every picture that a row names can be read: in prompts, in results, several in one line, and beside text."""
    talk = Session()
    sizes = iter(range(2, 20))

    def another():
        return image(b64encode(png(next(sizes), 1)).decode())

    talk.user([text("see"), another(), text("and"), another()])
    talk.assistant(
        tool_use("Read", {"file_path": "a.png"}, id="r1"),
        tool_use("Read", {"file_path": "b.png"}, id="r2"),
        tool_use("mcp__x__shot", {}, id="r3"),
    )
    talk.user([tool_result("r1", [another(), another()]), tool_result("r2", [another()]), another()])
    file = {"type": "image", "file": {"base64": PIXEL, "type": "image/png"}}
    talk.tool_result("r3", "no picture here", structured=file)
    talk.assistant(tool_use("Read", {"file_path": "/c.png"}, id="r4"))
    talk.tool_result("r4", [], structured=file)
    found = read(tmp_path, talk)
    opened = found.opened
    widths = []
    for row in found.page().rows:
        pieces = row.row.pieces
        shown = [block for piece in pieces for block in getattr(piece, "given", (piece,)) if isinstance(block, Image)]
        for each in shown:
            place = row.places[each.item]
            picture = image_at(opened, place.stream, place.at, each.nth)
            assert picture is not None
            widths.append(picture.width)

    # First the prompt's pictures, then those of tool results, then the one beside the results, then the file's.
    assert widths == [2, 3, 4, 5, 6, 7, 1]
    assert image_at(opened, "session", 0, 2) is None
    assert image_at(opened, "session", 0, -1) is None
    assert image_at(opened, "../session", 0, 0) is None
    assert image_at(opened, "session", 7, 0) is None
