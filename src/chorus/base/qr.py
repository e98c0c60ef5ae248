"""QR codes, as rows of modules."""


def qr_rows(text: str) -> tuple[str, ...]:
    """Returns the rows of a QR code with its quiet zone: `1` is a dark module, `0` a light one."""
    import segno

    code = segno.make_qr(text, error="m")
    return tuple("".join("1" if module else "0" for module in row) for row in code.matrix_iter(border=4))
