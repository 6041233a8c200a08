"""yoyo-migrations as its users call it from Python, on plain SQLite."""

import importlib.metadata
import sqlite3

from yoyo import get_backend, read_migrations
from yoyo.backends.core.sqlite3 import SQLiteBackend

import contract


def migrate(request, clock=None):
    def init_connection(_, connection):
        for pragma in contract.pragmas(request):
            connection.execute(pragma)

    SQLiteBackend.init_connection = init_connection
    with contract.Clock() as clock:
        backend = get_backend(f"sqlite:///{request.path}")
        with backend.lock():
            pending = backend.to_apply(read_migrations(f"{request.corpus}/yoyo"))
            count = len(pending)
            backend.apply_migrations(pending)
        connection = backend.connection
        used = contract.settings(lambda name: connection.execute(f"PRAGMA {name}").fetchone()[0])
        connection.close()
    return clock, count, contract.digest(request.path), used


def again(request):
    _, count, checksum, used = migrate(request)
    assert count == 0, f"{count} migrations were not applied yet"
    return contract.Clock.whole_process(request.started), 1, checksum, used


def library():
    return f"yoyo {importlib.metadata.version('yoyo-migrations')}, SQLite {sqlite3.sqlite_version}"


contract.run("yoyo", False, library, {"migrate": {"folder": migrate}, "rerun": {"folder": again}})
