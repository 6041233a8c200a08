"""alembic as its users call it from Python, on plain SQLite, a transaction for each migration."""

import os
import sqlite3

import alembic
import sqlalchemy
from alembic import command
from alembic.config import Config

import contract


def migrate(request):
    with contract.Clock() as clock:
        engine = sqlalchemy.create_engine(f"sqlite:///{request.path}")

        # As SQLAlchemy's manual recommends ("Serializable isolation / Savepoints / Transactional DDL"), or
        # Python's driver would commit at each CREATE.
        @sqlalchemy.event.listens_for(engine, "connect")
        def connect(connection, _):
            connection.isolation_level = None
            for pragma in contract.pragmas(request):
                connection.execute(pragma)

        @sqlalchemy.event.listens_for(engine, "begin")
        def begin(connection):
            connection.exec_driver_sql("BEGIN")

        config = Config()
        here = os.path.dirname(os.path.abspath(__file__))
        config.set_main_option("script_location", os.path.join(here, "environment"))
        config.set_main_option("path_separator", "newline")
        config.set_main_option("version_locations", f"{request.corpus}/alembic")
        with engine.connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            count = config.attributes["count"]
            used = contract.settings(
                lambda name: connection.exec_driver_sql(f"PRAGMA {name}").scalar())
        engine.dispose()
    return clock, count, contract.digest(request.path), used


def again(request):
    _, count, checksum, used = migrate(request)
    assert count == 0, f"{count} migrations were not applied yet"
    return contract.Clock.whole_process(request.started), 1, checksum, used


def library():
    return (f"alembic {alembic.__version__}, SQLAlchemy {sqlalchemy.__version__}, "
            f"SQLite {sqlite3.sqlite_version}")


contract.run(
    "alembic", False, library, {"migrate": {"folder": migrate}, "rerun": {"folder": again}})
