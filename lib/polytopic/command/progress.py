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


def expectation(runs):
    """Return {run name: seconds} from the records of earlier runs; a run without one takes their mean.

    Empty when no run has a record.
    """
    return _completed(recorded(runs), runs)


def recorded(runs):
    return {run.name: run.record["seconds"] for run in runs if run.record}


def _completed(known, runs):
    mean = sum(known.values()) / len(known) if known else None
    return {run.name: known.get(run.name, mean) for run in runs} if known else {}


class Progress:
    """Writes a line for each run that has ended; on a terminal also one, kept current, for those going on."""

    def __init__(self, runs, jobs=1, out=None):
        self.out = out or sys.stdout
        self.live = self.out.isatty()
        self.jobs = jobs
        self.runs = runs
        self.known = recorded(runs)
        self.ended_names = set()
        self.shown = None

    def started(self, execution):
        """Name the log of a run, which can be read while it goes on."""
        if not self.live:
            self._line(f"        {execution.run.name} begins (log: {execution.run.log})")

    def going_on(self, executions):
        """Renew the line about what goes on."""
        if not self.live or not executions:
            return
        names = ", ".join(f"{one.run.name} ({duration(int(one.seconds))})" for one in executions)
        text = f"{self._position(1)} {names}{self._left(executions)}"[
            : shutil.get_terminal_size().columns - 1
        ]
        if text != self.shown:
            self.out.write(f"\r{text}\x1b[K")
            self.out.flush()
            self.shown = text

    def ended(self, execution, problem):
        """Say how a run ended, and where it failed if it did."""
        self.ended_names.add(execution.run.name)
        self.known[execution.run.name] = execution.seconds
        outcome = " failed after" if problem else ""
        took = duration(execution.seconds)
        self._line(f"{self._position()} {execution.run.name}{outcome} {took}{self._left([])}")
        for line in problem.splitlines():
            self._line(f"    {line}")

    def _position(self, ahead=0):
        total = str(len(self.runs))
        return f"[{len(self.ended_names) + ahead:{len(total)}}/{total}]"

    def _left(self, going):
        pending = [run.name for run in self.runs if run.name not in self.ended_names]
        expected = _completed(self.known, self.runs)
        if not pending or not expected:
            return ""
        spent = {one.run.name: one.seconds for one in going}
        left = sum(max(0.0, expected[name] - spent.get(name, 0.0)) for name in pending)
        return f", about {duration(round(left / self.jobs))} left"

    def _line(self, text):
        self.out.write(f"\r\x1b[K{text}\n" if self.live else f"{text}\n")
        self.out.flush()
        self.shown = None
