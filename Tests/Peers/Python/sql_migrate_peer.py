"""sql-migrate's program, which is built on plain SQLite."""

import os
import subprocess
import tempfile

import contract


def call(folder, request, path, migrations):
    """Runs `sql-migrate up`, and returns how many migrations it reports as applied."""
    config = os.path.join(folder, "dbconfig.yml")
    with open(config, "w") as file:
        file.write(
            f"bench:\n  dialect: sqlite3\n  dir: {migrations}\n"
            f"  datasource: \"file:{path}?_journal_mode=WAL&_synchronous={request.sync.upper()}"
            f"&_cache_size=-{request.cache // 1024}\"\n")
    run = subprocess.run(
        ["sql-migrate", "up", f"-config={config}", "-env=bench"], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        raise SystemExit(f"error: sql-migrate: {run.stdout}")
    words = run.stdout.split()
    return int(words[words.index("Applied") + 1])


def settings(folder, request):
    """The settings of a connection with these options, recorded by a migration of a separate database."""
    path, migrations = os.path.join(folder, "aside.db"), os.path.join(folder, "aside")
    os.mkdir(migrations)
    with open(os.path.join(migrations, "1.sql"), "w") as file:
        file.write(f"-- +migrate Up\n{contract.NOTE}")
    call(folder, request, path, migrations)
    return contract.noted(path)


def migrate(request):
    with tempfile.TemporaryDirectory() as folder:
        used = settings(folder, request)
        with contract.Clock() as clock:
            count = call(folder, request, request.path, f"{request.corpus}/sql-migrate")
    return clock, count, contract.digest(request.path), used


def again(request):
    # Its own process is what counts, not this one.
    clock, count, checksum, used = migrate(request)
    assert count == 0, f"{count} migrations were not applied yet"
    return clock, 1, checksum, used


def library():
    run = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", "sql-migrate"], stdout=subprocess.PIPE, text=True)
    return f"sql-migrate {run.stdout or 'of unknown version'}, SQLite of the system"


contract.run(
    "sql-migrate", False, library, {"migrate": {"folder": migrate}, "rerun": {"folder": again}})
