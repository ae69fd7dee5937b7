"""Telling a person how far a row of runs has come, and about how long it will still take."""

import shutil
import sys


def duration(seconds):
    """Return a length of time in words: 8.3 gives ``8.3 s``, 8 gives ``8 s``, 200 gives ``3 min 20 s``."""
    if isinstance(seconds, float) and seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def recorded(runs):
    """Return {run name: seconds} of those that an earlier run has left a record of."""
    return {run.name: run.record["seconds"] for run in runs if run.record}


def expectation(runs, known):
    """Return {run name: seconds}: the known ones, their mean for any other; empty when none is known."""
    mean = sum(known.values()) / max(1, len(known))
    return {run.name: known.get(run.name, mean) for run in runs} if known else {}


class Progress:
    """Writes a line for each run that has ended; on a terminal also one, kept current, for those going on."""

    def __init__(self, runs, jobs=1):
        self.pending, self.jobs, self.total = list(runs), jobs, len(runs)
        self.known = recorded(runs)
        self.live = sys.stdout.isatty()

    def started(self, execution):
        """Name the log of a run, which can be read while it goes on."""
        if not self.live:
            self._line(f"        {execution.run.name} begins (log: {execution.run.log})")

    def going_on(self, executions):
        """Renew the line about what goes on."""
        if self.live and executions:
            names = ", ".join(f"{one.run.name} ({duration(int(one.seconds))})" for one in executions)
            text = f"{self._position(1)} {names}{self._left(executions)}"
            print(f"\r{text[: shutil.get_terminal_size().columns - 1]}\x1b[K", end="", flush=True)

    def ended(self, execution, problem):
        """Say how a run ended, and where it failed if it did."""
        self.pending.remove(execution.run)
        self.known[execution.run.name] = execution.seconds
        outcome = f"{' failed after' if problem else ''} {duration(execution.seconds)}"
        lines = [f"{self._position()} {execution.run.name}{outcome}{self._left()}", *problem.splitlines()]
        self._line("\n    ".join(lines))

    def _position(self, ahead=0):
        return f"[{self.total - len(self.pending) + ahead:{len(str(self.total))}}/{self.total}]"

    def _left(self, going=()):
        spent = {one.run.name: one.seconds for one in going}
        expected = expectation(self.pending, self.known)
        left = sum(max(0.0, seconds - spent.get(name, 0.0)) for name, seconds in expected.items())
        return f", about {duration(round(left / self.jobs))} left" if expected else ""

    def _line(self, text):
        print(f"\r\x1b[K{text}" if self.live else text, flush=True)
