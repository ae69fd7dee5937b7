"""Units of work on a cluster: what many of them have in common is sent once, and a lost worker costs only time.

joblib's Dask backend sends named tuples and objects of our own anew with every unit, and puts large arrays on one
worker, with which they are lost. Here both are inputs of Dask's graph, which its scheduler keeps and hands out again.
"""

import pickle

from joblib.parallel import get_active_backend


class Shared:
    """A value that many units take. Backends see its true size and treat it as the one object that it is."""

    def __init__(self, value):
        self.value = value

    def __sizeof__(self):
        """Return the bytes to send: Ray hands large objects over once, Dask's workers plan their memory."""
        buffers = []
        head = pickle.dumps(self.value, protocol=5, buffer_callback=buffers.append)
        return len(head) + sum(buffer.raw().nbytes for buffer in buffers)


def share(value):
    """Return what stands for the value among the arguments of units that ``as_units`` makes."""
    client = getattr(get_active_backend()[0], "client", None)
    shared = Shared(value)
    return shared if client is None else _in_graph(client, shared)


def as_units(calls):
    """Yield joblib's calls, (function, arguments, keywords), as calls that take shared values where they run."""
    for function, arguments, keywords in calls:
        yield unit, (function, tuple(arguments), dict(keywords)), {}


def unit(function, arguments, keywords):
    """Return what the function gives for arguments of which some are Shared.

    joblib computes units itself where a single core is left, and hands in Dask's futures as they are.
    """
    arguments = [getattr(one, "local", one) for one in arguments]
    return function(*(one.value if isinstance(one, Shared) else one for one in arguments), **keywords)


def _in_graph(client, shared):
    """Return Dask's future of a value that its scheduler keeps: workers ask for it, or for it anew."""
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        future = client.submit(_itself, shared, pure=False)
    future.local = shared
    return future


def _itself(shared):
    return shared
