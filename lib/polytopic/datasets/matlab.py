"""MATLAB's files, version 5, as far as a corpus needs them: numbers, texts, cells of them, and one-row structures.

scipy's reader, which knows the whole format, ends the interpreter at some damaged files.
"""

import math
import os
import struct
import zlib

import numpy as np

from polytopic.datasets.source_files import most, refuse_beyond

HEADER, VERSION = 128, 1
MATRIX, COMPRESSED = 14, 15
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
LETTERS = {1: "utf-8", 2: "utf-8", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
CELL, STRUCTURE, TEXT, NUMERIC = 1, 2, 4, range(6, 16)


def read_matlab(path):
    """Return {name: value} of a file: 1-D arrays in the order of columns, texts, lists for cells, and mappings.

    Raises TooLarge; ValueError, zlib.error, struct.error or IndexError for one that is damaged, of another version,
    or holds anything else.
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        head, content = file.read(HEADER), file.read()
    order = {b"IM": "<", b"MI": ">"}.get(head[126:128])
    if order is None or struct.unpack(f"{order}H", head[124:126])[0] >> 8 != VERSION:
        raise ValueError("it is no MATLAB file of version 5")
    found, total = {}, 0
    for kind, part in _elements(memoryview(content), order):
        if kind == COMPRESSED:
            room = max(1, most(size) - total + 1)
            unpacked = zlib.decompressobj().decompress(part, room)
            total = refuse_beyond(path, size, total + len(unpacked))
            kind, part = _elements(memoryview(unpacked), order)[0]
        if kind == MATRIX:
            name, value = _value(part, order)
            found[name] = value
    return found


def _elements(content, order):
    """Return [(kind, content)] of the elements in a piece of a file. Raises ValueError for one that is cut short."""
    found, place = [], 0
    while place + 8 <= len(content):
        kind, size = struct.unpack_from(f"{order}II", content, place)
        start, step = place + 8, size if kind == COMPRESSED else size + -size % 8
        if kind >> 16:  # a small one: its size and its kind share four bytes
            kind, size, start, step = kind & 0xFFFF, kind >> 16, place + 4, 0
        if start + size > len(content):
            raise ValueError(f"an element of {size:,} bytes is cut short")
        found.append((kind, content[start : start + size]))
        place += 8 + step
    return found


def _value(content, order):
    """Return the name and the value of a table."""
    if not len(content):
        return "", np.empty(0)
    (_, flags), (_, dims), (_, name), *parts = _elements(content, order)
    kind = struct.unpack_from(f"{order}I", flags)[0] & 0xFF
    cells = math.prod(struct.unpack(f"{order}{len(dims) // 4}i", dims))
    name = bytes(name).decode("latin-1")
    if kind in NUMERIC:
        value = np.frombuffer(parts[0][1], order + NUMBERS.get(parts[0][0], "V0")) if cells else np.empty(0)
    elif kind == TEXT:
        value = _text(*parts[0], order) if cells else ""
    elif kind == CELL:
        value = [_value(part, order)[1] for _, part in parts]
    elif kind == STRUCTURE and cells == 1:
        length, names = struct.unpack_from(f"{order}i", parts[0][1])[0], bytes(parts[1][1])
        keys = [names[i : i + length].rstrip(b"\0").decode("latin-1") for i in range(0, len(names), length)]
        value = dict(zip(keys, [_value(part, order)[1] for _, part in parts[2:]], strict=True))
    else:
        raise ValueError(f"{name} is of a class that is not read here ({kind}, {cells} cells)")
    if kind != STRUCTURE and kind != TEXT and len(value) != cells:
        raise ValueError(f"{name} tells of {cells:,} cells, and has {len(value):,}")
    return name, value


def _text(kind, letters, order):
    if kind not in LETTERS:
        raise ValueError(f"a text is in letters that are not known ({kind})")
    endian = {"<": "-le", ">": "-be"}[order] if kind in (4, 17, 18) else ""
    return bytes(letters).decode(LETTERS[kind] + endian)
