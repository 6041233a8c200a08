"""What other clients of a PostgreSQL server do, called by lockstep-bench-server: `WORK --url … --schema …`."""

import argparse
import json
import os
import resource
import struct
import time

COLUMNS = ("id", "a", "b", "c", "d", "ratio", "first", "second", "bytes", "first_exact_token")


def rows(path):
    """The rows of a file in COPY's binary format."""
    with open(path, "rb") as file:
        data = file.read()
    found, place = [], 19
    while (count := struct.unpack_from(">h", data, place)[0]) >= 0:
        place += 2
        row = []
        for column in range(count):
            length = struct.unpack_from(">i", data, place)[0]
            place += 4
            if length < 0:
                row.append(None)
                continue
            value = data[place:place + length]
            place += length
            if column < 5:
                value = struct.unpack(">q", value)[0]
            elif column == 5:
                value = struct.unpack(">d", value)[0]
            row.append(value)
        found.append(tuple(row))
    return found


class Clock:
    def __enter__(self):
        self._cpu, self._wall = self._used(), time.monotonic()
        return self

    def __exit__(self, *_):
        self.cpu, self.wall = self._used() - self._cpu, time.monotonic() - self._wall

    @staticmethod
    def _used():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime


def insert_psycopg(request):
    """executemany, which psycopg 3 sends as a pipeline."""
    import psycopg
    values = rows(request.copy)
    text = (f"INSERT INTO record ({', '.join(COLUMNS)}) VALUES "
            f"({', '.join(['%b'] * len(COLUMNS))})")
    with psycopg.connect(request.url, options=f"-csearch_path={request.schema}") as connection:
        with Clock() as clock:
            with connection.cursor() as cursor:
                cursor.executemany(text, values)
            connection.commit()
    return clock


def engine(request):
    import sqlalchemy
    url = request.url.replace("postgres://", "postgresql+psycopg://", 1)
    return sqlalchemy.create_engine(
        url, connect_args={"options": f"-csearch_path={request.schema}"})


def insert_sqlalchemy(request):
    """Core's insert of many rows in one transaction."""
    import sqlalchemy
    values = [dict(zip(COLUMNS, row)) for row in rows(request.copy)]
    types = [sqlalchemy.BigInteger] * 5 + [sqlalchemy.Double] + [sqlalchemy.LargeBinary] * 4
    table = sqlalchemy.Table(
        "record", sqlalchemy.MetaData(),
        *(sqlalchemy.Column(name, kind) for name, kind in zip(COLUMNS, types)))
    with engine(request).connect() as connection:
        with Clock() as clock:
            with connection.begin():
                connection.execute(table.insert(), values)
    return clock


def alembic(request):
    """A transaction for each migration."""
    from alembic import command
    from alembic.config import Config
    config = Config()
    here = os.path.dirname(os.path.abspath(__file__))
    config.set_main_option("script_location", os.path.join(here, "..", "environment"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", request.migrations)
    with engine(request).connect() as connection:
        config.attributes["connection"] = connection
        with Clock() as clock:
            command.upgrade(config, "head")
    return clock


WORKS = {"insert-psycopg": insert_psycopg, "insert-sqlalchemy": insert_sqlalchemy,
         "alembic": alembic}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("work", choices=list(WORKS))
parser.add_argument("--url", required=True)
parser.add_argument("--schema", required=True)
parser.add_argument("--rows", type=int)
parser.add_argument("--copy")
parser.add_argument("--migrations")
request = parser.parse_args()
measured = WORKS[request.work](request)
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(json.dumps({"wall": measured.wall, "cpu": measured.cpu, "peakKiB": peak, "parts": {}}))
