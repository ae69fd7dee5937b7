"""Files that are made to fill the memory are refused before they do, in a sentence that says how to read them."""

import bz2
import gzip
import lzma
import subprocess
import sys
import time
import zipfile
import zlib

import numpy as np
import pytest

from polytopic.corpus import Corpus
from polytopic.datasets import (
    DamagedFile,
    TooLarge,
    read_converted,
    read_rcv1,
    read_svmlight,
    write_converted,
)
from polytopic.datasets.matlab import read_matlab
from polytopic.datasets.source_files import MOST, check_archive, check_stream, most

MIB = 1 << 20
HEADER = "{{'descr': '|u1', 'fortran_order': False, 'shape': ({},), }}\n"


def bomb(compressor, mebibytes):
    """Return as many packed zeros, made without holding them."""
    zeros = bytes(MIB)
    return b"".join([*(compressor.compress(zeros) for _ in range(mebibytes)), compressor.flush()])


def archive(path, mebibytes, claimed=None):
    header = HEADER.format(mebibytes * MIB if claimed is None else claimed).encode()
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as file,
        file.open("data.npy", "w", force_zip64=True) as part,
    ):
        part.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        for _ in range(mebibytes):
            part.write(bytes(MIB))


def refused(read, path):
    began = time.process_time()
    with pytest.raises(TooLarge) as told:
        read(path)
    assert time.process_time() - began < 2
    message = str(told.value)
    assert path.name in message and MOST in message and f"{most(path.stat().st_size):,}" in message


@pytest.mark.slow
def test_bombs_of_gigabytes_are_refused_at_once_with_little_memory(tmp_path):
    """An npz of 3 MB that holds 3.2 GB and a gzip of 2 GB: they took 3.1 and 4.6 GB, and more than 20 seconds."""
    archive(tmp_path / "Y.npz", 3200)
    (tmp_path / "a.svm.gz").write_bytes(bomb(zlib.compressobj(wbits=31), 2048))
    for call in (f"read_converted({str(tmp_path)!r})", f"read_svmlight({str(tmp_path / 'a.svm.gz')!r})"):
        script = (
            "import resource, time\nimport sklearn.datasets\nfrom polytopic.datasets import *\n"
            "before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()\n"
            f"try:\n    {call}\nexcept TooLarge:\n"
            "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, time.process_time() - began)\n"
        )
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        kilobytes, seconds = map(float, ended.stdout.split())
        assert kilobytes < 50_000 and seconds < 2


def test_packed_streams_are_refused_by_what_they_hold(tmp_path):
    packers = {"gz": zlib.compressobj(wbits=31), "bz2": bz2.BZ2Compressor(), "xz": lzma.LZMACompressor()}
    for ending, packer in packers.items():
        path = tmp_path / f"a.{ending}"
        path.write_bytes(bomb(packer, 64))
        refused(check_stream, path)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.csv", bytes(64 * MIB))
    refused(check_stream, tmp_path / "a.zip")
    refused(read_svmlight, tmp_path / "a.gz")
    (tmp_path / "a.dat.gz").write_bytes((tmp_path / "a.gz").read_bytes())
    (tmp_path / "t.qrels").write_text("GCAT 1 1\n")
    refused(lambda path: read_rcv1([path, tmp_path / "t.qrels"]), tmp_path / "a.dat.gz")


def test_sources_of_the_study_are_within_the_bounds():
    """stackex_cooking.rda holds 157 times its size: its reader refused it wherever it had not been kept before."""
    assert most(541_280) >= 84_879_004


def test_archives_are_refused_by_what_they_declare(tmp_path):
    archive(tmp_path / "Y.npz", 64)
    refused(lambda path: read_converted(path.parent), tmp_path / "Y.npz")
    archive(tmp_path / "Y.npz", 1, claimed=10**12)
    with pytest.raises(ValueError, match=r"data\.npy tells of 1,000,000,000,000 bytes, and has 1,048,576"):
        check_archive(tmp_path / "Y.npz")


def test_parts_of_matlab_files_are_refused_by_what_they_hold(tmp_path):
    part = bomb(zlib.compressobj(), 64)
    head = b"MATLAB 5.0".ljust(124) + b"\x00\x01IM"
    (tmp_path / "1.mat").write_bytes(
        head + (15).to_bytes(4, "little") + len(part).to_bytes(4, "little") + part
    )
    refused(read_matlab, tmp_path / "1.mat")


def test_what_is_told_to_be_read_is_read(tmp_path, monkeypatch):
    """A file of its own size is no bomb, and the variable allows more, or less, than usual."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(bytes(32 * MIB)))
    refused(check_stream, path)
    monkeypatch.setenv(MOST, str(32 * MIB))
    assert check_stream(path) == 32 * MIB
    monkeypatch.setenv(MOST, "100")
    np.savez(tmp_path / "stored.npz", np.arange(1000))
    assert check_archive(tmp_path / "stored.npz") > 8000
    monkeypatch.setenv(MOST, "a lot")
    with pytest.raises(ValueError, match=f"{MOST} is 'a lot', and should be a whole number of bytes"):
        check_stream(path)


@pytest.mark.parametrize(
    "told", [{"shape": np.array([60_000_000, 3])}, {"shape": np.zeros(60_000_000, np.int64)}]
)
def test_a_matrix_is_refused_by_the_shape_that_it_tells_before_its_parts_are_read(tmp_path, told):
    """Its pointers were unpacked and looked at first: a gigabyte of them took twelve seconds."""
    write_converted(Corpus(np.eye(3, dtype=int), np.eye(3, dtype=bool)), tmp_path)
    parts = {"format": np.array(b"csr"), "indices": np.zeros(0, np.int32), "data": np.zeros(0, np.uint8)}
    parts |= {"indptr": np.zeros(60_000_001, np.int64)} if told["shape"].size == 2 else {}
    filling = np.random.default_rng(0).integers(
        0, 255, 9_500_000, np.uint8
    )  # so that so much may be unpacked
    np.savez_compressed(tmp_path / "X.npz", **parts, **told, filling=filling)
    began = time.process_time()
    with pytest.raises(DamagedFile, match=r"X\.npz cannot be read .* (60,000,000 rows|its shape has)"):
        read_converted(tmp_path)
    assert time.process_time() - began < 0.3  # 2.5 s where the pointers are read
