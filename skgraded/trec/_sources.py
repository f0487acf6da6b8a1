"""The bytes of a path or a file object, which may be compressed."""

from __future__ import annotations

import bz2
import contextlib
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

_CHUNK = 8_000_000  # bytes of text held at a time
_PIECE = 1 << 20  # bytes of a compressed file read at a time
_ZSTD_PIECE = 1 << 8
_MOST_XZ_MEMORY = 1 << 29  # the largest dictionary of xz's own levels takes an eighth of it

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\0": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    # Frames to skip, with which parallel and seekable compressors begin a file.
    **{bytes([0x50 + number]) + b"\x2a\x4d\x18": "zstd" for number in range(16)},
}
_SUFFIXES = (".gz", ".xz", ".bz2", ".zst")
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def is_source(given: Any) -> bool:
    """Whether something is a path or an open file."""
    return isinstance(given, str | os.PathLike) or hasattr(given, "read")


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
    with contextlib.ExitStack() as stack:
        raw = _open(source, stack)
        start = raw.peek(8) if hasattr(raw, "peek") else b""
        packed = next((kind for magic, kind in _COMPRESSED.items() if start.startswith(magic)), "")
        plain = iter(partial(raw.read, _CHUNK), raw.read(0))
        for number, chunk in enumerate(_unpacked(raw, packed, name) if packed else plain):
            text = chunk.encode("utf-8", "surrogateescape") if isinstance(chunk, str) else chunk
            if number == 0:
                if text[:2] in _UTF16_MARKS:
                    raise ValueError(f"{name}: this is UTF-16 text; save the file as UTF-8.")
                text = text.removeprefix(_UTF8_MARK)
            yield text


def _open(source: Any, stack: contextlib.ExitStack) -> Any:
    if isinstance(source, str | os.PathLike):
        return stack.enter_context(open(source, "rb"))
    if isinstance(source, io.RawIOBase | io.BytesIO):
        reader = io.BufferedReader(source)
        stack.callback(_release, reader)
        return reader
    return source


def _release(reader: io.BufferedReader[Any]) -> None:
    """Let go of the caller's file, which would be closed with the reader."""
    with contextlib.suppress(ValueError):  # where an error came, the caller may have closed it
        reader.detach()


def _unpacked(raw: Any, packed: str, name: str) -> Iterator[bytes]:
    try:
        yield from _decompressed(raw, _DECOMPRESSORS[packed])
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # each library has its own
        raise ValueError(
            f"{name}: this {packed} file is damaged or cut short ({error})."
        ) from error


class _GzipDecompressor:
    """zlib's decompressor with the interface of lzma's and bz2's."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)

    @property
    def needs_input(self) -> bool:
        return not self._inflate.unconsumed_tail

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inflate.decompress(self._inflate.unconsumed_tail + data, max_length)


class _ZstdDecompressor:
    """zstandard's decompressor with the interface of lzma's and bz2's.

    That one cannot limit its output. A block of 4 bytes may stand for 128 KiB of text, so that it
    is fed with pieces of 256 bytes, which give no more than 8 MiB.
    """

    def __init__(self) -> None:
        try:
            import zstandard
        except ImportError as error:
            raise ImportError("Reading zstd needs zstandard: pip install zstandard.") from error
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._waiting = b""

    @property
    def needs_input(self) -> bool:
        return not self._waiting

    @property
    def eof(self) -> bool:
        return bool(self._frame.eof)

    @property
    def unused_data(self) -> bytes:
        unused: bytes = self._frame.unused_data
        return unused + self._waiting

    def decompress(self, data: bytes, max_length: int) -> bytes:
        waiting, texts, length = self._waiting + data, [], 0
        begin = 0
        while begin < len(waiting) and length < max_length and not self.eof:
            texts.append(self._frame.decompress(waiting[begin : begin + _ZSTD_PIECE]))
            length += len(texts[-1])
            begin += _ZSTD_PIECE
        self._waiting = waiting[begin:]
        return b"".join(texts)


_DECOMPRESSORS: dict[str, Callable[[], Any]] = {
    "gzip": _GzipDecompressor,
    "xz": lambda: lzma.LZMADecompressor(memlimit=_MOST_XZ_MEMORY),
    "bzip2": bz2.BZ2Decompressor,
    "zstd": _ZstdDecompressor,
}


def _decompressed(raw: Any, new: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the text of the compressed streams in pieces, between which other threads can run."""
    stream = new()
    while True:
        piece = b""
        if stream.eof:
            piece = _next_stream(raw, stream.unused_data)
            if not piece:
                return
            stream = new()
        elif stream.needs_input:
            piece = raw.read(_PIECE)
            if not piece:
                raise EOFError("its end is missing")
        text = stream.decompress(piece, _CHUNK)
        if text:
            yield text


def _next_stream(raw: Any, piece: bytes) -> bytes:
    """Return the start of the next stream; zeros between streams are skipped."""
    piece = piece.lstrip(b"\0")
    while not piece and (more := raw.read(_PIECE)):
        piece = more.lstrip(b"\0")
    return piece
