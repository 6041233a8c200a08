"""Mutation testing: `run.py [--seed N] [--each N] [--layer NAME] [--minutes M] [--folder FOLDER]`.

It copies the committed files, adds mutants with a switch and builds once. Then it runs each suite by itself and records
which mutants it reaches, and runs each mutant alone with the suites that reach it, the quick ones first, for at most a
given number of seconds of tests. A mutant that survives is a change of the source that no test notices in that time.
The same seed chooses the same mutants of the same commit. A run that was stopped is continued by the next one with the
same folder, seed and commit: the build, the suites that reach each mutant, and the verdicts are kept there.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/Campaigns/Torture"))
import group
import points

# Signals, and the end of this process, leave no process of a test.
COMMANDS = group.Commands()

# A layer: its folders within Sources.
LAYERS = {
    "Crypto": ["Lockstep/Crypto"],
    "Keys": ["Lockstep/Keys"],
    "Platform": ["Lockstep/Platform"],
    "Fields": ["Lockstep/Fields"],
    "Migrations": ["Lockstep/Migrations"],
    "Deployment": ["Lockstep/Deployment"],
    "Custody": ["Lockstep/Custody"],
    "Verification": ["Lockstep/Verification"],
    "Connection": [f"Lockstep/SQLite/{room}" for room in ("Language", "Library", "Files", "Core")],
    "Store": ["Lockstep/SQLite/Store", "Lockstep/SQLite/VFS"],
    "Copies": ["Lockstep/SQLite/Copies"],
    "Salvage": ["Lockstep/SQLite/Salvage"],
    "Models": ["LockstepModels"],
    "Tool": ["LockstepTool"],
}
# More where the suite was weak.
MORE = {"Store": 2, "Copies": 2, "Salvage": 2, "Tool": 2}
# Seconds of tests in one batch; a mutant that one batch notices is not run with the next one.
BATCHES = [5, 30, 120, 240]

SWITCH = """\
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

package enum MutantSwitch {
    private static let number: Int32 = {
        guard let text = unsafe getenv("LOCKSTEP_MUTANT") else { return 0 }
        return unsafe atoi(text)
    }()

    /// Whether there is a file that records the numbers that a process reaches.
    private static let isListing = unsafe (getenv("LOCKSTEP_MUTANT_LIST").map { unsafe $0[0] } ?? 0) != 0
    nonisolated(unsafe) private static let seen = {
        let seen = UnsafeMutablePointer<Bool>.allocate(capacity: 10_000)
        unsafe seen.initialize(repeating: false, count: 10_000)
        return unsafe seen
    }()

    /// A mutant can be between a system call and the code that reads its error.
    package static func on(_ other: Int32) -> Bool {
        let code = errno
        if isListing, unsafe !seen[Int(other)] {
            unsafe seen[Int(other)] = true
            // Not kept open: tests count a process's descriptors.
            let list = unsafe open(
                getenv("LOCKSTEP_MUTANT_LIST"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
            let line = "\\(other)\\n"
            _ = unsafe write(list, line, line.utf8.count)
            close(list)
        }
        let isOn = number == other
        errno = code
        return isOn
    }
}
"""


def copy(folder: Path):
    """The project's files as committed, next to what an earlier run has built from them."""
    for name in ("Sources", "Tests", "Migrations"):
        shutil.rmtree(folder / name, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    (folder / "Sources/Lockstep/Platform/Threads/MutantSwitch.swift").write_text(SWITCH)
    # Tests of the tool give their commands an environment of their own.
    ours = "".join(f'"{name}": ProcessInfo.processInfo.environment["{name}"] ?? "", '
                   for name in ("LOCKSTEP_MUTANT", "LOCKSTEP_MUTANT_LIST"))
    for path in (folder / "Tests/LockstepToolTests").rglob("*.swift"):
        text = path.read_text()
        path.write_text(re.sub(r'"PATH": (?=(?:Self\.)?path,)', ours + '"PATH": ', text))


def choose(folder: Path, seed: int, each: int, only: str | None):
    """The requested number of points in each layer and some to spare, no two on one line."""
    dice = random.Random(seed)
    chosen = []
    for layer, folders in LAYERS.items():
        everything = [p for name in folders for p in points.points(folder, f"Sources/{name}")]
        dice.shuffle(everything)
        lines, count = set(), each * MORE.get(layer, 1) * 3 // 2
        for point in everything:
            if only and layer != only or count == 0:
                break
            # A mutant in the switch would ask the switch whether it is on.
            if point.path.name != "MutantSwitch.swift" and (point.path, point.line) not in lines:
                lines.add((point.path, point.line))
                chosen.append((layer, point))
                count -= 1
    return chosen


def write(folder: Path, mutants):
    """Puts every mutant into its file."""
    files = collections.defaultdict(dict)
    for number, (_, point) in mutants.items():
        files[point.path][point.line] = point.changed(number)
    for path, lines in files.items():
        source = (folder / path).read_text().split("\n")
        for line, text in lines.items():
            source[line] = text
        (folder / path).write_text("\n".join(source))


def build(folder: Path, mutants, originals):
    """Builds, and removes the mutants on lines that do not compile, until the build succeeds."""
    for _ in range(12):
        write(folder, mutants)
        run = COMMANDS.run(["swift", "build", "--build-tests"], cwd=folder, stderr=subprocess.DEVNULL)
        if COMMANDS.stopped_by:
            raise Stopped
        if run.returncode == 0:
            return
        wrong = set(re.findall(r"^(\S+\.swift):(\d+):\d+: error", run.stdout, re.M))
        wrong = {(str(Path(path).relative_to(folder)), int(line)) for path, line in wrong if path.startswith(str(folder))}
        dropped = {number for number, (_, point) in mutants.items()
                   if any(str(point.path) == path and abs(point.line + 1 - line) <= 1 for path, line in wrong)}
        if not dropped:
            # An error far from its cause: remove every mutant in the files with errors.
            dropped = {number for number, (_, point) in mutants.items() if str(point.path) in {p for p, _ in wrong}}
        if not dropped:
            sys.exit(f"mutants: the build fails, and not for a mutant:\n{run.stdout[-3000:]}")
        for path in {mutants[number][1].path for number in dropped}:
            (folder / path).write_text(originals[path])
        for number in dropped:
            del mutants[number]
        print(f"{len(dropped)} do not compile, {len(mutants)} are left", flush=True)
    sys.exit("mutants: the build does not come to an end")


def all_suites(folder: Path) -> list[str]:
    """The names of all suites."""
    names = set()
    for path in sorted((folder / "Tests").rglob("*Tests.swift")):
        names.update(re.findall(r"^(?:final class|struct|enum|extension) (\w+Tests)\b", path.read_text(), re.M))
    return sorted(names)


class Stopped(Exception):
    """A signal has come, or the time is over: what was run last has no verdict."""


def failure(folder: Path, number: int, names: list[str], seconds: float, end: float,
            list_path: str | None = None) -> str | None:
    """Runs suites with this mutant on until the first failure, and returns its file, or "" if it names none.

    `None` if the suites finish without a failure. They get so many seconds, and none after `end`.
    """
    place = tempfile.mkdtemp(prefix="lockstep-mutant")
    environment = dict(os.environ, LOCKSTEP_MUTANT=str(number), SWIFT_BACKTRACE="enable=no", TMPDIR=place)
    if list_path:
        environment["LOCKSTEP_MUTANT_LIST"] = list_path
    program = folder / ".build/debug/lockstepPackageTests.xctest"
    arguments = [program, "--testing-library", "swift-testing", "--filter", rf"\.({'|'.join(names)})\b"]
    if COMMANDS.stopped_by or time.monotonic() > end:
        raise Stopped
    run = COMMANDS.start(arguments, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace")
    alarm = threading.Timer(min(seconds, end - time.monotonic()), run.terminate)
    alarm.start()
    try:
        for line in run.stdout:
            if "✘" in line and "known issue" not in line:
                place_of_it = re.search(r" at (\w+)\.swift:", line)
                return place_of_it.group(1) if place_of_it else ""
        code = run.wait()
        if COMMANDS.stopped_by or code and time.monotonic() > end:
            raise Stopped
        return "" if code else None
    finally:
        alarm.cancel()
        # This also ends the processes that it has started.
        run.terminate()
        COMMANDS.wait(run)
        run.stdout.close()
        shutil.rmtree(place, ignore_errors=True)


def coverage(folder: Path, workers, end: float):
    """Which suites reach each mutant, and how long each suite takes. Suites that fail without a mutant do not count."""
    def one(name: str):
        path = tempfile.mktemp(prefix="lockstep-mutants")
        start = time.monotonic()
        is_sound = failure(folder, 0, [name], 900, end, path) is None
        duration = time.monotonic() - start
        try:
            numbers = {int(line) for line in Path(path).read_text().split()}
            os.unlink(path)
        except FileNotFoundError:
            numbers = set()
        return name, is_sound, duration, numbers

    covering, durations = collections.defaultdict(list), {}
    for name, is_sound, duration, numbers in workers.map(one, all_suites(folder)):
        if not is_sound:
            print(f"{name} fails without a mutant", flush=True)
            continue
        durations[name] = duration
        for number in numbers:
            covering[number].append(name)
    return covering, durations


Mutant = collections.namedtuple("Mutant", "layer path line name text")


class State:
    """What a run has found, in a file: the suites that reach each mutant, and the verdicts."""

    def __init__(self, folder: Path, options):
        head = ["git", "rev-parse", "HEAD"]
        commit = subprocess.run(head, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
        self.path = folder / "state.json"
        self.key = [commit, options.seed, options.each, options.layer]
        self.content = {"key": self.key, "is_built": False, "mutants": {}, "covering": {}, "durations": {}, "judged": {}}
        try:
            found = json.loads(self.path.read_text())
            if found["key"] == self.key and found["is_built"]:
                self.content = found
        except (FileNotFoundError, ValueError, KeyError):
            pass

    def __getitem__(self, name):
        return self.content[name]

    def record(self, **values):
        self.content.update(values)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.content))
        new.replace(self.path)


def prepare(folder: Path, options, state) -> dict:
    """The mutants that compile, by number, in a build that has them all. A later run uses what an earlier one built."""
    if not state["is_built"]:
        copy(folder)
        chosen = choose(folder, options.seed, options.each, options.layer)
        mutants = dict(enumerate(chosen, start=1))
        originals = {point.path: (folder / point.path).read_text() for _, point in chosen}
        build(folder, mutants, originals)
        state.record(is_built=True, mutants={
            str(number): [layer, str(point.path), point.line + 1, point.name, point.match.string.strip()]
            for number, (layer, point) in mutants.items()})
    return {int(number): Mutant(*fields) for number, fields in state["mutants"].items()}


def words(name: str) -> set[str]:
    """The words of a type's name."""
    return set(re.findall("[A-Z][a-z0-9]+", name)) - {"Tests"}


def is_noticed(folder: Path, number: int, path: str, names: list[str], durations, end: float) -> bool:
    """Whether a suite fails, or does not finish, with this mutant on."""
    own = words(Path(path).stem)
    # Quick suites, and those named like the file, come first.
    rest = sorted(names, key=lambda name: durations[name] / (1 + 4 * len(own & words(name))))
    for most in BATCHES:
        batch, total = [], 0.0
        while rest and (not batch or total + durations[rest[0]] <= most):
            total += durations[rest[0]]
            batch.append(rest.pop(0))
        if not batch:
            continue
        first = failure(folder, number, batch, total * 4 + 60, end)
        if first is None:
            continue
        # Once more, because the first failure can be bad luck: a mutant that is on fails both times.
        again = [first] if first in batch else batch
        if failure(folder, number, again, total * 4 + 60, end) is not None:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--layer", choices=LAYERS)
    parser.add_argument("--minutes", type=int, default=600)
    parser.add_argument("--folder", type=Path, default=ROOT / ".build/mutants")
    options = parser.parse_args()
    folder = options.folder.resolve()
    end = time.monotonic() + options.minutes * 60
    print(f"seed {options.seed}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    COMMANDS.watch()
    state = State(folder, options)
    try:
        judge(folder, options, state, end)
    except Stopped:
        print("stopped before the first verdict; the next run continues", flush=True)
        COMMANDS.end(1)
    COMMANDS.end(0)


def judge(folder: Path, options, state, end: float):
    """Judges as many mutants as there is time for, and prints each verdict and the counts."""
    mutants = prepare(folder, options, state)
    # The spare mutants stay in the build and are never on.
    counts = collections.Counter()
    order = []
    for number, mutant in mutants.items():
        counts[mutant.layer] += 1
        if counts[mutant.layer] <= options.each * MORE.get(mutant.layer, 1):
            order.append((number, mutant))
    random.Random(options.seed).shuffle(order)
    tally = collections.defaultdict(lambda: [0, 0])
    lock = threading.Lock()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        if not state["durations"]:
            covering, durations = coverage(folder, workers, end)
            state.record(covering={str(number): names for number, names in covering.items()}, durations=durations)
        covering = collections.defaultdict(list, {int(number): names for number, names in state["covering"].items()})
        durations = state["durations"]
        print(f"{len(order)} mutants, {len(durations)} suites of {sum(durations.values()):.0f} s", flush=True)

        def one(item):
            number = str(item[0])
            if number not in state["judged"]:
                try:
                    noticed = is_noticed(folder, item[0], item[1].path, covering[item[0]], durations, end)
                except Stopped:
                    return None
                with lock:
                    state.record(judged=state["judged"] | {number: noticed})
            return state["judged"][number]

        for (number, mutant), noticed in zip(order, workers.map(one, order)):
            if noticed is None:
                print("stopped by a signal" if COMMANDS.stopped_by else "stopped at the end of its time", flush=True)
                break
            tally[mutant.layer][0] += noticed
            tally[mutant.layer][1] += 1
            place = f"{number} {mutant.layer} {mutant.path}:{mutant.line} {mutant.name}"
            print(f"noticed  {place}" if noticed else
                  f"SURVIVES {place}, {len(covering[number])} suites\n    {mutant.text}", flush=True)
    for layer, (noticed, count) in sorted(tally.items()):
        print(f"{layer}: {noticed} of {count} noticed")


if __name__ == "__main__":
    main()
