"""The bytes of a path or a file object, which may be compressed."""

from __future__ import annotations

import bz2
import contextlib
import errno
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

_CHUNK = 8_000_000  # bytes of text held at a time
_TEXT = 1 << 20  # of compressed files, less, since they are joined of pieces
_MOST_XZ_MEMORY = (
    1 << 29
)  # the largest dictionary of xz's own levels takes an eighth of it

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\0": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    # Frames to skip, with which parallel and seekable compressors begin a file.
    **{bytes([0x50 + number]) + b"\x2a\x4d\x18": "zstd" for number in range(16)},
}
_LONGEST_MARK = max(map(len, _COMPRESSED))
_SUFFIXES = (".gz", ".xz", ".bz2", ".zst")
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def is_source(source: Any) -> bool:
    """Whether something is a path or an open file."""
    return isinstance(source, str | os.PathLike) or hasattr(source, "read")


def name_of_source(source: Any) -> str:
    """Return the path, the name that an object has, or that of its type."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"


def short_name(source: Any) -> str:
    """Return the file's name without its folder and the suffix of its compression.

    Bytes that are not UTF-8 are escaped, so that every output can show the name.
    """
    last = os.path.basename(name_of_source(source))
    name = os.fsencode(last).decode("utf-8", "backslashreplace")
    stem, suffix = os.path.splitext(name)
    return stem if suffix in _SUFFIXES else name


def read_chunks(source: Any) -> Iterator[bytes]:
    """Yield the decompressed bytes of a source, some megabytes at a time.

    The first bytes of a file decide how it is compressed; its name is not looked at.
    """
    name = name_of_source(source)
    is_path = isinstance(source, str | os.PathLike)
    if is_path and not os.path.exists(source):
        _refuse_pattern(os.fsdecode(name))
    with open(source, "rb") if is_path else contextlib.nullcontext(source) as file:
        read_chunk = partial(file.read, _CHUNK)
        end_of_file = file.read(0)
        chunks = map(_encoded, iter(read_chunk, end_of_file))

        # The first chunks of a pipe may be shorter than a mark.
        start = b""
        while len(start) < _LONGEST_MARK and (chunk := next(chunks, b"")):
            start += chunk
        texts: Iterator[bytes] = chain([start], chunks)
        for mark, compression in _COMPRESSED.items():
            if start.startswith(mark):
                texts = _unpacked(texts, compression, name)
                break

        first_text = next(texts, b"")
        if first_text.startswith(_UTF16_MARKS):
            raise ValueError(f"{name}: this is UTF-16 text; save the file as UTF-8.")
        yield first_text.removeprefix(_UTF8_MARK)
        yield from texts


def _refuse_pattern(path: str) -> None:
    """Raise where a path that is not there would be one to a shell; open says the rest."""
    way = ""
    if path.startswith("~"):
        way = "os.path.expanduser(path) replaces ~"
    elif any(mark in path for mark in "*?["):
        way = "sorted(glob.glob(path)) lists the files of a pattern"
    if way:
        rule = (
            f"{os.strerror(errno.ENOENT)}, and Python opens it as it is written: {way}"
        )
        raise FileNotFoundError(errno.ENOENT, rule, path)


def _encoded(text: str | bytes) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "surrogateescape")
    return text


def _unpacked(chunks: Iterable[bytes], compression: str, name: str) -> Iterator[bytes]:
    new_decompressor, piece_size = _DECOMPRESSORS[compression]
    try:
        yield from _decompressed(chunks, new_decompressor, piece_size)
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # each library has its own
        raise ValueError(
            f"{name}: this {compression} file is damaged or cut short ({error})."
        ) from error


def _zstd_decompressor() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise ImportError(
            "Reading zstd needs zstandard: pip install zstandard."
        ) from error
    return zstandard.ZstdDecompressor().decompressobj()


# What makes a decompressor of each kind, and how many bytes it gets at a time: so few that they
# stand for at most some tens of megabytes of text.
_DECOMPRESSORS: dict[str, tuple[Callable[[], Any], int]] = {
    "gzip": (lambda: zlib.decompressobj(wbits=31), 1 << 13),
    "xz": (lambda: lzma.LZMADecompressor(memlimit=_MOST_XZ_MEMORY), 1 << 10),
    "bzip2": (bz2.BZ2Decompressor, 1 << 5),
    "zstd": (_zstd_decompressor, 1 << 8),
}


def _decompressed(
    chunks: Iterable[bytes], new_decompressor: Callable[[], Any], piece_size: int
) -> Iterator[bytes]:
    """Yield the text of the compressed streams; zeros between streams are skipped."""
    stream = new_decompressor()
    texts = []
    length = 0

    for piece in _pieces(chunks, piece_size):
        unread = piece
        while unread := unread.lstrip(b"\0") if stream.eof else unread:
            if stream.eof:
                stream = new_decompressor()
            text = stream.decompress(unread)
            texts.append(text)
            length += len(text)
            unread = stream.unused_data
        if length >= _TEXT:
            yield b"".join(texts)
            texts = []
            length = 0

    if not stream.eof:
        raise EOFError("its end is missing")
    yield b"".join(texts)


def _pieces(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]
