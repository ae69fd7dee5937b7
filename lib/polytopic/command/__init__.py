"""The console script ``polytopic``: its arguments, the runner of notebooks, and the gallery."""
