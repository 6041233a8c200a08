"""Mutation testing: `run.py [--seed N] [--each N] [--layer NAME] [--minutes M] [--folder FOLDER]`.

It copies what is committed, puts mutants behind a switch, builds once, and runs each mutant alone: with the suites of its
area, and what those do not notice with all suites. A mutant that survives is a change of the source that no test sees.
The same seed chooses the same mutants of the same commit.
"""

import argparse
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import points

ROOT = Path(__file__).resolve().parents[2]

# A layer: its folders, and the folders of the tests that are its own.
LAYERS = {
    "Crypto": (["Crypto"], ["Crypto"]),
    "Keys": (["Keys"], ["Keys"]),
    "Platform": (["Platform"], ["Platform", "Keys"]),
    "Fields": (["Fields"], ["Fields"]),
    "Migrations": (["Migrations"], ["Migrations"]),
    "Deployment": (["Deployment"], ["Deployment"]),
    "Rotation": (["Rotation", "Epochs"], ["Rotation", "Epochs"]),
    "Verification": (["Verification"], ["Verification", "Fields"]),
    "Store": (["SQLite/Store", "SQLite/VFS"], ["SQLite/Store", "SQLite/VFS"]),
    "Copies": (["SQLite/Copies", "SQLite/FullText"], ["SQLite/Copies", "SQLite/FullText", "Rotation"]),
    "Salvage": (["SQLite/Salvage"], ["SQLite"]),
    "Tool": (["../LockstepTool"], ["../LockstepToolTests"]),
}
# More where the suite was weak.
MORE = {"Store": 2, "Copies": 2, "Salvage": 2, "Tool": 2}

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

    package static func on(_ other: Int32) -> Bool { number == other }
}
"""


def copy(folder: Path):
    """The project's files as they are committed, beside what an earlier run has built of them."""
    for name in ("Sources", "Tests", "Migrations"):
        shutil.rmtree(folder / name, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    (folder / "Sources/Lockstep/Platform/MutantSwitch.swift").write_text(SWITCH)
    # Transcripts give their commands an environment of their own.
    path = folder / "Tests/LockstepToolTests/Transcript.swift"
    path.write_text(path.read_text().replace(
        '"PATH": path,', '"LOCKSTEP_MUTANT": environment["LOCKSTEP_MUTANT"] ?? "0", "PATH": path,', 1).replace(
        '!$0.key.hasPrefix("LOCKSTEP_")', '$0.key == "LOCKSTEP_MUTANT" || !$0.key.hasPrefix("LOCKSTEP_")', 1))


def choose(folder: Path, seed: int, each: int, only: str | None):
    """So many points of each layer, no two on one line."""
    dice = random.Random(seed)
    chosen = []
    for layer, (folders, _) in LAYERS.items():
        everything = [p for name in folders for p in points.points(folder, f"Sources/Lockstep/{name}")]
        dice.shuffle(everything)
        lines, count = set(), each * MORE.get(layer, 1)
        for point in everything:
            if only and layer != only or count == 0:
                break
            if (point.path, point.line) not in lines:
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
    """Builds, and takes out the mutants on lines that do not compile, until it does."""
    for _ in range(12):
        write(folder, mutants)
        run = subprocess.run(["swift", "build", "--build-tests"], cwd=folder, capture_output=True, text=True)
        if run.returncode == 0:
            return
        wrong = set(re.findall(r"^(\S+\.swift):(\d+):\d+: error", run.stdout, re.M))
        wrong = {(str(Path(path).relative_to(folder)), int(line)) for path, line in wrong if path.startswith(str(folder))}
        dropped = {number for number, (_, point) in mutants.items()
                   if any(str(point.path) == path and abs(point.line + 1 - line) <= 1 for path, line in wrong)}
        if not dropped:
            # An error far from its cause: everything in the files that it is in.
            dropped = {number for number, (_, point) in mutants.items() if str(point.path) in {p for p, _ in wrong}}
        if not dropped:
            sys.exit(f"mutants: the build fails, and not for a mutant:\n{run.stdout[-3000:]}")
        for path in {mutants[number][1].path for number in dropped}:
            (folder / path).write_text(originals[path])
        for number in dropped:
            del mutants[number]
        print(f"{len(dropped)} do not compile, {len(mutants)} are left", flush=True)
    sys.exit("mutants: the build does not come to an end")


def suites(folder: Path, layer: str) -> str:
    """The filter for the suites of an area."""
    names = set()
    for name in LAYERS[layer][1]:
        for path in sorted((folder / "Tests/LockstepTests" / name).rglob("*Tests.swift")):
            names.update(re.findall(r"^struct (\w+Tests)\b", path.read_text(), re.M))
    return "|".join(sorted(names))


def is_noticed(folder: Path, number: int, selection: str, seconds: int) -> bool:
    """Whether a suite fails, or does not come to an end, with this mutant on."""
    environment = dict(os.environ, LOCKSTEP_MUTANT=str(number), SWIFT_BACKTRACE="enable=no")
    arguments = ["swift", "test", "--skip-build"] + (["--filter", selection] if selection else [])
    try:
        run = subprocess.run(arguments, cwd=folder, env=environment, timeout=seconds,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        subprocess.run(["pkill", "-f", str(folder)], check=False)
        return True
    return run.returncode != 0


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
    copy(folder)
    chosen = choose(folder, options.seed, options.each, options.layer)
    mutants = dict(enumerate(chosen, start=1))
    originals = {point.path: (folder / point.path).read_text() for _, point in chosen}
    build(folder, mutants, originals)
    filters = {layer: suites(folder, layer) for layer in LAYERS}
    layers = {layer for layer, _ in mutants.values()}
    durations = {}
    for layer in sorted(layers):
        start = time.monotonic()
        if is_noticed(folder, 0, filters[layer], 3600):
            sys.exit(f"mutants: the suites of {layer} fail without a mutant")
        durations[layer] = time.monotonic() - start
        print(f"{layer}: its suites take {durations[layer]:.0f} s", flush=True)
    tally = collections.defaultdict(lambda: [0, 0])
    survivors = []
    order = list(mutants.items())
    random.Random(options.seed).shuffle(order)
    for number, (layer, point) in order:
        if time.monotonic() > end:
            print("stopped at the end of its time", flush=True)
            break
        noticed = is_noticed(folder, number, filters[layer], int(durations[layer] * 3) + 60)
        tally[layer][0] += noticed
        tally[layer][1] += 1
        if not noticed:
            survivors.append((number, layer, point))
        print(f"{'noticed ' if noticed else 'SURVIVES'} {number} {layer} {point.path}:{point.line + 1} {point.name}",
              flush=True)
    for number, layer, point in survivors:
        if time.monotonic() > end:
            break
        if is_noticed(folder, number, "", 3600):
            tally[layer][0] += 1
            print(f"noticed by another suite: {number} {point.path}:{point.line + 1}", flush=True)
        else:
            print(f"SURVIVES ALL: {number} {layer} {point.path}:{point.line + 1} {point.name}\n"
                  f"    {point.match.string.strip()}", flush=True)
    for layer, (noticed, count) in sorted(tally.items()):
        print(f"{layer}: {noticed} of {count} noticed")


if __name__ == "__main__":
    main()
