"""Files that are there whole or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_whole(path, content):
    """Write text or bytes under a name beside the path's and rename it: nobody ever sees half a file.

    Makes the folder. Raises OSError (a full disk, no permission), with nothing left behind.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with open(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(draft, 0o666 & ~_umask())
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
