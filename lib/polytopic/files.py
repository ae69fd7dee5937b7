"""Files that are there whole or not at all."""

import os
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


def write_whole(path, content):
    """Write text or bytes under a name beside the path's and rename it: nobody ever sees half a file.

    Makes the folder. Raises OSError (a full disk, no permission), with nothing left behind.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _draft(path, content) as draft:
        os.replace(draft, path)


def write_together(folder, contents, key):
    """Write files that belong together, {name: text, bytes, or None for a file that shall go}, in place of old ones.

    Everything is written under other names first: a full disk leaves the old files as they were. Then the file
    ``key`` goes first and comes last, so that whoever finds it never finds parts of two writings.

    Makes the folder. Raises OSError, with nothing of the drafts left behind.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as drafts:
        ready = {
            name: drafts.enter_context(_draft(folder / name, content))
            for name, content in contents.items()
            if content is not None
        }
        for name in [key, *(contents.keys() - ready.keys())]:
            (folder / name).unlink(missing_ok=True)
        for name in sorted(ready, key=lambda name: name == key):
            os.replace(ready[name], folder / name)


@contextmanager
def _draft(path, content):
    """Write the content beside the path and hand out where; at the end the draft goes, unless it was renamed."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with open(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(draft, 0o666 & ~_umask())
        yield draft
    finally:
        with suppress(OSError):
            os.unlink(draft)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
