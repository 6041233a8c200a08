#!/usr/bin/env python3
"""Runs a command so that no process of it outlives its caller: `group.py [--grace SECONDS] COMMAND …`.

This guardian ends the command, and every process that came from it, when it gets TERM, INT or HUP, and when the process
that started it has ended, killed or not. A signal asks first: it is passed on to the command as TERM, again after the
grace, and what is left a little later is killed. When the command ends by itself, what it has left is killed, too. The
guardian ends as the command did.

On Linux it adopts orphans, so that processes with sessions of their own are found as well. Elsewhere it ends the
command's process group, and sees only within a second that its caller is gone.
"""

import argparse
import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
import time

# From linux/prctl.h.
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
IS_LINUX = sys.platform == "linux"
# Between the second request and the end of everything.
LAST_GRACE = 5
ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def prctl(option: int, argument: int):
    if IS_LINUX:
        ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


def is_left_by(parent: int, seconds: float, *wakes: int) -> bool:
    """Whether the process that started this one has ended. Waits for that, at most so long, or until a descriptor of
    `wakes` can be read.
    """
    try:
        watch = os.pidfd_open(parent)
    except (AttributeError, OSError):
        select.select(wakes, [], [], min(1, seconds))
        return os.getppid() != parent
    # With its number taken by another process the watch is wrong, and this is not.
    ready = select.select([watch, *wakes], [], [], 0 if os.getppid() != parent else seconds)[0]
    os.close(watch)
    return watch in ready or os.getppid() != parent


def end_with_parent():
    """From now on this process gets TERM when the process that started it has ended."""
    parent = os.getppid()

    def watch():
        while not is_left_by(parent, 3600):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    if parent > 1:
        threading.Thread(target=watch, daemon=True).start()


def descendants() -> list[int]:
    """Every process that came from this one, as Linux lists them."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{int(name)}/stat", "rb") as file:
                # The name before the state can contain anything, but ends with the last parenthesis.
                fields = file.read().rsplit(b")", 1)[1].split()
        except (ValueError, OSError, IndexError):
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
    found, unseen = [], [os.getpid()]
    while unseen:
        more = children.get(unseen.pop(), [])
        found += more
        unseen += more
    return found


def kill(number: int, group: bool = False):
    try:
        (os.killpg if group else os.kill)(number, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def reap() -> dict[int, int]:
    """The ended children, with their codes."""
    ended = {}
    try:
        while True:
            number, status = os.waitpid(-1, os.WNOHANG)
            if number == 0:
                return ended
            ended[number] = os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        return ended


def kill_everything(command: int):
    """Ends what is left. A killed process can have started another in between, so this looks again."""
    kill(command, group=True)
    while IS_LINUX and (left := descendants()):
        for number in left:
            kill(number)
        if not reap():
            time.sleep(0.01)


class Guardian:
    """The command, and the requests to end it."""

    def __init__(self, command: list[str], grace: float, parent: int):
        self.grace, self.parent = grace, parent
        self.signals: list[int] = []
        self.wake, writer = os.pipe()
        for end in (self.wake, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer)
        for number in ENDS:
            signal.signal(number, lambda number, _: self.signals.append(number))
        signal.signal(signal.SIGCHLD, lambda *_: None)
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        # If the guardian itself is killed, at least the command is, too.
        self.command = subprocess.Popen(
            command, start_new_session=True,
            preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)).pid
        self.code: int | None = None

    def wait(self, until: float | None, requests: int) -> bool:
        """Waits for the command's end, for more requests than these, or for the caller's end, which it reports."""
        while True:
            self.code = reap().get(self.command, self.code)
            if self.code is not None or len(self.signals) > requests:
                return False
            left = 3600 if until is None else until - time.monotonic()
            if left <= 0:
                return False
            if is_left_by(self.parent, left, self.wake):
                return True
            try:
                os.read(self.wake, 1000)
            except BlockingIOError:
                pass

    def run(self) -> int:
        """The command's code, or the negative number of the signal that ended it or this guardian."""
        alone = self.wait(None, 0)
        for grace in (self.grace, LAST_GRACE):
            if alone or self.code is not None:
                break
            seen = len(self.signals)
            try:
                os.kill(self.command, signal.SIGTERM)
            except ProcessLookupError:
                pass
            alone = self.wait(time.monotonic() + grace, seen)
        kill_everything(self.command)
        if self.signals:
            return -self.signals[0]
        return -signal.SIGKILL if self.code is None else self.code


class Commands:
    """The commands of a runner, each with a guardian. A signal to the runner asks all of them for their end."""

    def __init__(self):
        self.running: set[subprocess.Popen] = set()
        # The first signal.
        self.stopped_by = 0

    def watch(self):
        """From now on TERM, INT, HUP and the end of the runner's caller ask for the end."""
        for number in ENDS:
            signal.signal(number, self.stop)
        end_with_parent()

    def stop(self, number: int, _):
        self.stopped_by = self.stopped_by or number
        for process in list(self.running):
            process.terminate()

    def start(self, command: list, grace: float = 0, **options) -> subprocess.Popen:
        """Starts a command. Its guardian has a session of its own, so that only the runner's requests count."""
        guardian = [sys.executable, __file__, "--grace", str(grace), "--parent", str(os.getpid()), *map(str, command)]
        process = subprocess.Popen(guardian, start_new_session=True, **options)
        self.running.add(process)
        if self.stopped_by:
            process.terminate()
        return process

    def wait(self, process: subprocess.Popen) -> int:
        """Waits for a command's end, and returns its code."""
        code = process.wait()
        self.running.discard(process)
        return code

    def run(self, command: list, **options) -> subprocess.CompletedProcess:
        """Runs a command to its end, and returns what it wrote."""
        process = self.start(command, stdout=subprocess.PIPE, text=True, errors="replace", **options)
        output = process.communicate()[0]
        return subprocess.CompletedProcess(command, self.wait(process), output)

    def end(self, code: int):
        """Ends the runner with a code, or as the signal that stopped it would have."""
        end_as(-self.stopped_by if self.stopped_by else code)


def end_as(code: int):
    """Ends this process as another one ended."""
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    sys.exit(code)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--grace", type=float, default=0)
    parser.add_argument("--parent", type=int, default=os.getppid(), help=argparse.SUPPRESS)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    end_as(Guardian(options.command, options.grace, options.parent).run())


if __name__ == "__main__":
    main()
