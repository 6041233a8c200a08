"""The shells, sqlcipher's and sqlite3's, with scripts as people write them by hand."""

import os
import subprocess
import sys

import contract

PROGRAM, SIBLING = sys.argv.pop(1), sys.argv.pop(1)
IS_ENCRYPTED = PROGRAM == "sqlcipher"
NAMES = ("page_size", "cache_size", "journal_mode", "synchronous")


def shell(request, script):
    """Runs a script on the file, and returns its settings. The key comes on standard input, like the rest."""
    key = f"PRAGMA key = \"x'{request.key}'\";\n" if IS_ENCRYPTED else ""
    head = key + ";\n".join(contract.pragmas(request)) + ";\n"
    tail = ".print settings\n" + "".join(f"PRAGMA {name};\n" for name in NAMES)
    run = subprocess.run(
        [PROGRAM, "-batch", "-bail", request.path], input=head + script + tail,
        stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        raise SystemExit(f"error: {PROGRAM} failed: {run.stdout[-500:]}")
    values = dict(zip(NAMES, run.stdout.split("settings\n")[-1].split()))
    return contract.settings(values.get)


def migrate(request):
    folder = f"{request.corpus}/plain"
    with contract.Clock() as clock:
        parts = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name)) as file:
                sql = file.read()
            off = sql.startswith("-- foreign keys off\n")
            parts += ["PRAGMA foreign_keys = OFF;\n" if off else "", "BEGIN IMMEDIATE;\n", sql,
                      "COMMIT;\n", "PRAGMA foreign_keys = ON;\n"]
        used = shell(request, "".join(parts))
    checked = contract.sibling(SIBLING, "digest", request)
    return clock, len(parts) // 5, checked["checksum"], used


def rebuild(request):
    contract.sibling(SIBLING, "index", request)
    script = """
PRAGMA foreign_keys = OFF;
BEGIN IMMEDIATE;
CREATE TABLE new_record (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,
    c INTEGER NOT NULL, d INTEGER NOT NULL, ratio REAL NOT NULL, first TEXT NOT NULL,
    second TEXT NOT NULL, bytes BLOB NOT NULL, CHECK (length(bytes) = 64));
INSERT INTO new_record SELECT * FROM record;
DROP TABLE record;
ALTER TABLE new_record RENAME TO record;
CREATE INDEX record_by_c ON record (c);
PRAGMA foreign_key_check;
COMMIT;
PRAGMA foreign_keys = ON;
"""
    with contract.Clock() as clock:
        used = shell(request, script)
    checked = contract.sibling(SIBLING, "check", request)
    return clock, request.rows, checked["checksum"], used


def fill(request):
    return contract.sibling(SIBLING, "fill", request)


def library():
    run = subprocess.run(
        [PROGRAM, "-version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    return f"the shell {PROGRAM}, SQLite {run.stdout.split()[0]}"


contract.run(
    f"{PROGRAM}-shell", IS_ENCRYPTED, library,
    {"migrate": {"script": migrate}, "rebuild": {"hand": rebuild}},
    {"fill": {"default": fill}})
