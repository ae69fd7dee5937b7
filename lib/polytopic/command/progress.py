"""How far a row of notebook runs has come, and about how long it will still take."""

from tqdm import tqdm

LINE = "{desc} {percentage:3.0f} %, {remaining} left"


def duration(seconds):
    """Return a length of time in words: 8.3 gives ``8.3 s``, 8 gives ``8 s``, 200 gives ``3 min 20 s``."""
    if isinstance(seconds, float) and seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def expectation(runs):
    """Return {run name: seconds}: what the last run took, the mean of these for any other; empty without any."""
    known = {run.name: run.record["seconds"] for run in runs if run.record}
    mean = sum(known.values()) / max(1, len(known))
    return {run.name: known.get(run.name, mean) for run in runs} if known else {}


class Progress:
    """Writes a line for each run that has ended; on a terminal also a bar, by what earlier runs took."""

    def __init__(self, runs):
        self.seconds, self.n_runs, self.n_ended = expectation(runs), len(runs), 0
        self.bar = tqdm(total=sum(self.seconds.values()) or len(runs), bar_format=LINE, disable=None)

    def begin(self, run):
        """Name the log of a run, which can be read while it goes on."""
        self.bar.set_description_str(run.name)
        if self.bar.disable:
            print(f"        {run.name} begins (log: {run.log})", flush=True)

    def end(self, run, seconds, problem):
        """Say how a run ended, and where it failed if it did."""
        self.n_ended += 1
        self.bar.update(self.seconds.get(run.name, 1))
        place = f"[{self.n_ended:{len(str(self.n_runs))}}/{self.n_runs}]"
        outcome = f"{' failed after' if problem else ''} {duration(seconds)}"
        self.bar.write("\n    ".join([f"{place} {run.name}{outcome}", *problem.splitlines()]))
