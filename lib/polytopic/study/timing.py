"""What training and prediction take, in CPU seconds."""

import time


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
