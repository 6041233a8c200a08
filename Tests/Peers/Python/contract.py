"""How a peer is called and what it answers, as Tests/Peers/README.md says."""

import argparse
import json
import os
import resource
import sqlite3
import subprocess
import sys
import time

BOOKS = ("sqlite_", "lockstep_", "gorp_migrations", "_yoyo_", "yoyo_lock", "alembic_version")


class Clock:
    """The measured region: CPU time of this process and of the children it waited for, wall time."""

    def __enter__(self):
        self._cpu, self._wall = _cpu(), time.monotonic_ns()
        return self

    def __exit__(self, *_):
        self.cpu, self.wall = _cpu() - self._cpu, time.monotonic_ns() - self._wall

    @staticmethod
    def whole_process(started):
        clock = Clock()
        clock.cpu = _cpu()
        clock.wall = time.monotonic_ns() - started if started else clock.cpu
        return clock


def _cpu():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(int((usage.ru_utime + usage.ru_stime) * 1_000_000_000) for usage in usages)


def _peak_kib():
    with open("/proc/self/status") as status:
        own = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def digest(path):
    """The database's content: its schema, and how many rows each table has."""
    value = 0xCBF29CE484222325

    def add(data):
        nonlocal value
        for byte in data:
            value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF

    database = sqlite3.connect(path)
    objects = database.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")
    tables = []
    for kind, name, table, sql in objects.fetchall():
        if table.startswith(BOOKS):
            continue
        for part in (kind, name, table, "".join(c for c in sql if c not in '\t\n\r "')):
            add(part.encode() + b"\0")
        if kind == "table":
            tables.append(name)
    for table in tables:
        add(database.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0].to_bytes(8, "little"))
    database.close()
    return f"{value:016x}"


def settings(fetch):
    """What the pragmas say; `fetch` returns the value of one."""
    cache = int(fetch("cache_size"))
    page = int(fetch("page_size"))
    return {
        "pageSize": page,
        "cacheBytes": -cache * 1024 if cache < 0 else cache * page,
        "journal": fetch("journal_mode"),
        "synchronous": {1: "normal", 2: "full"}.get(int(fetch("synchronous")), "other"),
    }


NAMES = ("page_size", "cache_size", "journal_mode", "synchronous")
# A migration by which a tool whose connections are out of reach records what the pragmas say on one of them.
NOTE = "CREATE TABLE settings AS SELECT " + ", ".join(
    f"(SELECT {name} FROM pragma_{name}) AS {name}" for name in NAMES) + ";\n"


def noted(path):
    """The settings that such a migration has recorded."""
    database = sqlite3.connect(path)
    used = settings(lambda name: database.execute(f"SELECT {name} FROM settings").fetchone()[0])
    database.close()
    return used


def pragmas(request):
    """The settings of every connection."""
    return (
        f"PRAGMA cache_size = -{request.cache // 1024}",
        "PRAGMA journal_mode = WAL",
        f"PRAGMA synchronous = {request.sync}",
    )


def sibling(program, workload, request):
    """The outcome of another peer, built beside this one, on the same file."""
    folder = os.environ["LOCKSTEP_PEERS"]
    run = subprocess.run(
        [os.path.join(folder, program), workload, "--path", request.path, "--rows",
         str(request.rows), "--cache", str(request.cache), "--sync", request.sync, "--key",
         request.key],
        stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)


def run(peer, encrypted, library, workloads, hidden={}):
    """Answers the command line. A workload's function takes the request, and returns clock, operations,
    checksum and settings, or a whole outcome."""
    if sys.argv[1:] == ["list"]:
        variants = {name: list(variants) for name, variants in workloads.items()}
        print(json.dumps({"peer": peer, "encrypted": encrypted, "workloads": variants}))
        return
    parser = argparse.ArgumentParser(prog=peer, description=__doc__)
    known = {**workloads, **hidden}
    parser.add_argument("workload", choices=list(known))
    parser.add_argument("--path", required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--cache", type=int, default=64 << 20)
    parser.add_argument("--sync", choices=["normal", "full"], default="normal")
    parser.add_argument("--key", default="0123456789abcdef" * 4)
    parser.add_argument("--variant")
    parser.add_argument("--corpus")
    parser.add_argument("--started", type=int)
    request = parser.parse_args()
    variants = known[request.workload]
    variant = request.variant or next(iter(variants))
    if variant not in variants:
        parser.error(f"{request.workload} has no variant {variant}")
    outcome = variants[variant](request)
    if isinstance(outcome, tuple):
        clock, operations, checksum, used = outcome
        outcome = {
            "cpuNanoseconds": clock.cpu, "wallNanoseconds": max(clock.wall, 1),
            "operations": operations, "checksum": checksum, "settings": used,
            "peakKiB": _peak_kib(), "library": library()}
    outcome |= {"peer": peer, "workload": request.workload, "variant": variant}
    print(json.dumps(outcome))
