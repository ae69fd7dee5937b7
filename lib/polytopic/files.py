"""Files that are there whole or not at all."""

import glob
import os
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None


def write_whole(path, content):
    """Write text or bytes under a name beside the path's and rename it: nobody ever sees half a file.

    Makes the folder. Raises OSError (a full disk, no permission), with nothing left behind.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with drafted(path, content) as draft:
        os.replace(draft, path)


def write_together(folder, contents, key):
    """Write files that belong together, {name: text, bytes, or None for a file that shall go}, in place of old ones.

    Everything is written under other names first: a full disk leaves the old files as they were. Then the file
    ``key`` goes first and comes last, so that whoever finds it never finds parts of two writings; processes that
    write into one folder take turns.

    Makes the folder. Raises OSError, with nothing of the drafts left behind.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as drafts:
        ready = {
            name: drafts.enter_context(drafted(folder / name, content))
            for name, content in contents.items()
            if content is not None
        }
        with held(folder):
            for name in [key, *(contents.keys() - ready.keys())]:
                (folder / name).unlink(missing_ok=True)
            for name in sorted(ready, key=lambda name: name == key):
                os.replace(ready[name], folder / name)


@contextmanager
def drafted(path, content):
    """Write content beside the path and hand out where; at the end the draft goes, unless it was renamed.

    content is text, bytes, or a function that writes into the open file it is given. The draft is locked until then;
    those of the same path that killed processes left are deleted. Raises OSError with nothing left behind.
    """
    path = Path(path)
    forget_drafts(path.parent, path.name)
    handle, draft = _begun(path)
    lock = os.dup(handle) if fcntl else None
    try:
        with naming(path), open(handle, "wb") as file:
            if callable(content):
                content(file)
            else:
                file.write(content.encode() if isinstance(content, str) else content)
        open_to_others(draft)
        yield draft
    finally:
        with suppress(OSError):
            os.unlink(draft)
        if lock is not None:
            os.close(lock)


@contextmanager
def naming(path):
    """Let an OSError that names no file, as of a disk that is full, name this one."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = os.fspath(path)
        raise


@contextmanager
def held(folder, shared=False):
    """Hold a folder while the context lasts, alone or with others who hold it ``shared``; wait for those who do not.

    Nothing is written for that, and a killed process lets go. Where a folder cannot be held (Windows, some network
    folders, one that is not there) nobody waits.
    """
    handle = None
    try:
        with suppress(OSError):
            if fcntl is not None:
                handle = os.open(folder, os.O_RDONLY)
                fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def forget_drafts(folder, name=None):
    """Delete the drafts of one file in a folder, or of all files below it, whose process was killed.

    A living process holds a lock on its drafts. Where files cannot be locked (Windows, some network folders), and in
    folders that cannot be written to, they stay.
    """
    pattern = f".{glob.escape(name)}.*.part" if name else "**/.*.part"
    for draft in Path(folder).glob(pattern) if fcntl else ():
        with suppress(OSError):
            handle = os.open(draft, os.O_RDWR)
            try:
                if _locked(handle):
                    os.unlink(draft)
            finally:
                os.close(handle)


def _begun(path):
    """Return a handle of a new file beside the path, locked, and its name."""
    while True:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        if _locked(handle) is not False and os.path.exists(draft):
            return handle, draft
        os.close(handle)  # who forgets drafts was there between these lines


def _locked(handle):
    """Return whether the file is now locked for this process: False if another has it, None if none can."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def open_to_others(path):
    """Give a temporary file, which is its owner's alone, the rights of any other new file."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(path, 0o666 & ~mask)
