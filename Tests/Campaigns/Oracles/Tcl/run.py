#!/usr/bin/env python3
"""Runs SQLite's own TCL tests twice, stock and with Lockstep's layers, and compares them test by test.

run.py TESTFIXTURE FOLDER TAP SCRATCH [--mode plain|keyed|cipher|all] [--only TEXT] [--limit SECONDS] [--spoil]

TESTFIXTURE is SQLCipher's test program, whose sqlite3_* functions other libraries can see. FOLDER holds its tests, TAP
is the library that puts Lockstep's layers in, and SCRATCH gets what the runs write. README.md says more.

It ends with 0 if every test comes out the same; with 1 if not; with 2 if it could not run.
"""

import argparse
import fnmatch
import os
import re
import shutil
import subprocess
import sys

PATTERNS = ["wal*.test", "crash*.test", "corrupt*.test", "*fault*.test"]
CIPHER_PATTERNS = ["sqlcipher-*.test", "crypto*.test"]
# A test's name ends with three dots; then comes its verdict, or other output of the program.
BEGIN = re.compile(r"^(\S+)\.\.\.(.*)$")
GOT = re.compile(r"^! (\S+) (?:got|error):\s*(.*)$")
# SQLCipher writes failed checks to standard error, with the time.
NOISE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")

# The test program treats every database as encrypted. Answering no here makes them plain ones.
PLAIN = """
set argv0 [lindex $argv 0]
set argv {}
rename sqlite3 sqlite3_with_codec
proc sqlite3 {args} {
    if {$args eq "-has-codec"} { return 0 }
    uplevel 1 sqlite3_with_codec $args
}
source $argv0
"""

# Keys are derived as usual, but with fewer rounds: the tests open a database some 100,000 times.
KEYED = """
set argv0 [lindex $argv 0]
set argv {}
sqlite3 with_few_rounds :memory:
with_few_rounds eval {PRAGMA cipher_default_kdf_iter = 4}
with_few_rounds close
source $argv0
"""


def outcomes(text):
    """The tests of a run in their order, each with its verdict."""
    found = []
    for line in text.splitlines():
        line = line.strip()
        begin = BEGIN.match(line)
        if begin:
            verdict = begin.group(2).strip()
            found.append([begin.group(1), "Ok" if verdict == "Ok" else "no verdict"])
        elif line == "Ok" and found and found[-1][1] == "no verdict":
            found[-1][1] = "Ok"
        else:
            got = GOT.match(line)
            if got and found and not NOISE.match(line):
                found[-1][1] = f"failed: {got.group(2)}"
    return [tuple(one) for one in found]


class Runs:
    def __init__(self, arguments):
        self.given = arguments
        for mode, text in [("plain", PLAIN), ("keyed", KEYED)]:
            with open(self.wrapper(mode), "w") as file:
                file.write(text)

    def wrapper(self, mode):
        return os.path.join(self.given.scratch, f"{mode}.tcl")

    def run(self, test, mode, layers, name):
        """One run of one file in a folder of its own; layers is what the tap puts in."""
        folder = os.path.join(self.given.scratch, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        environment = dict(os.environ)
        log = os.path.join(folder, "tap.log")
        if layers:
            environment |= {
                "LD_PRELOAD": self.given.tap,
                "LOCKSTEP_TAP": layers,
                "LOCKSTEP_TAP_LOG": log,
            }
        command = [self.given.testfixture]
        if mode != "cipher":
            command.append(self.wrapper(mode))
        command.append(os.path.join(self.given.folder, test))
        output = os.path.join(folder, "output.txt")
        with open(output, "wb") as file:
            try:
                code = subprocess.run(
                    command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=file,
                    stderr=subprocess.STDOUT, timeout=self.given.limit).returncode
            except subprocess.TimeoutExpired:
                code = "too long"
        with open(output, errors="replace") as file:
            text = file.read()
        opened = 0
        if os.path.exists(log):
            with open(log) as file:
                opened = sum(int(line.split()[0]) for line in file if line.strip())
        shutil.rmtree(os.path.join(folder, "testdir"), ignore_errors=True)
        return outcomes(text), code, opened


def different(one, other):
    """The tests that come out otherwise, as lines."""
    lines = []
    mine = {}
    for name, verdict in other:
        mine.setdefault(name, []).append(verdict)
    theirs = {}
    for name, verdict in one:
        theirs.setdefault(name, []).append(verdict)
    for name in dict.fromkeys(list(theirs) + list(mine)):
        if theirs.get(name) != mine.get(name):
            lines.append(f"{name}: stock {theirs.get(name)}, with Lockstep {mine.get(name)}")
    return lines


def compare(runs, test, mode, total):
    layers = "vfs" if mode == "plain" else "vfs,provider"
    stock, code, _ = runs.run(test, mode, None, "stock")
    ours, our_code, opened = runs.run(test, mode, layers, "lockstep")
    if runs.given.spoil and ours:
        ours[0] = (ours[0][0], "spoilt")
    lines = different(stock, ours)
    if lines and not runs.given.spoil:
        # Results that stock does not repeat say nothing about Lockstep.
        again, _, _ = runs.run(test, mode, None, "again")
        unsteady = {line.split(":")[0] for line in different(stock, again)}
        total["unsteady"] += sum(line.split(":")[0] in unsteady for line in lines)
        lines = [line for line in lines if line.split(":")[0] not in unsteady]
    failed = sum(verdict != "Ok" for _, verdict in stock)
    print(f"{mode} {test}: {len(stock)} tests, {failed} fail in stock, {len(lines)} differ, "
          f"{opened} files opened under the guard, ended {code} and {our_code}", flush=True)
    for line in lines:
        print(f"  {line}", flush=True)
    total["files"] += 1
    total["tests"] += len(stock)
    total["failed"] += failed
    total["different"] += len(lines)
    total["opened"] += opened
    if opened == 0:
        total["bare"].append(f"{mode} {test}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ["testfixture", "folder", "tap", "scratch"]:
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--mode", default="all", choices=["plain", "keyed", "cipher", "all"])
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("--spoil", action="store_true")
    arguments = parser.parse_args()
    for path in [arguments.testfixture, arguments.folder, arguments.tap]:
        if not os.path.exists(path):
            sys.exit(f"tcl: {path} is not there: README.md says what it is")
    os.makedirs(arguments.scratch, exist_ok=True)
    runs = Runs(arguments)
    total = {"files": 0, "tests": 0, "failed": 0, "different": 0, "unsteady": 0, "opened": 0,
             "bare": []}
    for mode in ["plain", "keyed", "cipher"] if arguments.mode == "all" else [arguments.mode]:
        patterns = CIPHER_PATTERNS if mode == "cipher" else PATTERNS
        tests = [name for name in sorted(os.listdir(arguments.folder))
                 if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
                 and arguments.only in name]
        for test in tests:
            compare(runs, test, mode, total)
    if total["bare"]:
        print(f"tcl: these opened no file under the guard: {', '.join(total['bare'])}")
    print(f"tcl: {total['files']} runs of files, {total['tests']} tests, {total['failed']} fail in "
          f"stock too, {total['unsteady']} are not steady in stock, {total['opened']} files opened "
          f"under the guard, {total['different']} differ")
    if total["files"] == 0 or total["opened"] == 0:
        print("tcl: nothing was compared: see README.md", file=sys.stderr)
        sys.exit(2)
    sys.exit(1 if total["different"] else 0)


main()
