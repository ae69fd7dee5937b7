"""What training and prediction take: CPU seconds, and the most memory."""

import threading
import time

import psutil


def timed(model, X, Y, X_test, **how):
    """Train a model on X (D, W) and Y (D, C), and score X_test (n, W), as ``how`` says.

    Return (scores (n, C), seconds of training, seconds of prediction): of this process, all its threads
    together. What is compiled meanwhile counts, waiting does not. Raises what the model does.
    """
    start = time.process_time()
    model.fit(X, Y)
    trained = time.process_time()
    scores = model.decision_function(X_test, **how)
    return scores, trained - start, time.process_time() - trained


class PeakMemory:
    """The most memory that this process has while a block runs, in bytes, seen ten times a second: ``most``."""

    def __enter__(self):
        self._done, self.most, process = threading.Event(), 0, psutil.Process()

        def look():
            while True:
                self.most = max(self.most, process.memory_info().rss)
                if self._done.wait(0.1):
                    return

        self._thread = threading.Thread(target=look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *failure):
        self._done.set()
        self._thread.join()
