"""Rows of a PostgreSQL server as COPY writes them in its text format, by PostgreSQL's manual and the article CellsOnServers: no
line of it was taken from Lockstep's sources.

A folder has these files, which psql writes with PGTZ=UTC and PGDATESTYLE=ISO in the environment:

    columns   COPY (SELECT table_name, column_name, data_type FROM information_schema.columns
              WHERE table_schema = 'public' AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position) TO STDOUT
    keys      COPY (SELECT table_name, column_name FROM information_schema.key_column_usage AS k
              JOIN information_schema.table_constraints AS t USING (constraint_schema, constraint_name, table_name)
              WHERE constraint_schema = 'public' AND constraint_type = 'PRIMARY KEY'
              ORDER BY table_name, k.ordinal_position) TO STDOUT
    rows.T    COPY T TO STDOUT, for each table T
"""

import datetime
import pathlib
import re
import struct

NULL, INTEGER, REAL, TEXT, BLOB = 0, 1, 2, 3, 4
SPECIAL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def plain(field):
    if field == "\\N":
        return None
    return re.sub(r"\\(.)", lambda match: SPECIAL.get(match[1], match[1]), field)


def lines(path):
    # Nothing but a line feed ends a row.
    text = path.read_bytes().decode("utf-8")
    return [[plain(field) for field in line.split("\t")] for line in text.split("\n")[:-1]]


def microseconds(text):
    moment = datetime.datetime.fromisoformat(re.sub(r"([+-]\d\d)$", r"\1:00", text))
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


def integer(number):
    return INTEGER, struct.pack(">q", number)


def value(kind, text):
    """A value as a file would store it: its tag and bytes."""
    if text is None:
        return NULL, b""
    if kind in ("smallint", "integer", "bigint"):
        return integer(int(text))
    if kind == "boolean":
        return integer({"f": 0, "t": 1}[text])
    if kind == "timestamp with time zone":
        return integer(microseconds(text))
    if kind == "double precision":
        return REAL, struct.pack(">d", float(text))
    if kind == "real":
        return REAL, struct.pack(">d", *struct.unpack(">f", struct.pack(">f", float(text))))
    if kind == "bytea":
        return BLOB, bytes.fromhex(text.removeprefix("\\x"))
    if kind == "uuid":
        return BLOB, bytes.fromhex(text.replace("-", ""))
    if kind in ("text", "character varying", "json"):
        return TEXT, text.encode()
    raise ValueError(f"values of the type {kind} do not cross")


def python(stored):
    """A value of the engine's own tables: a number, a text, or bytes in hex."""
    kind, data = stored
    if kind == NULL:
        return None
    if kind == INTEGER:
        return struct.unpack(">q", data)[0]
    return data.decode() if kind == TEXT else data.hex()


class Server:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.types = {}
        for table, column, kind in lines(self.folder / "columns"):
            self.types.setdefault(table, {})[column] = kind
        self.keys = {}
        for table, column in lines(self.folder / "keys"):
            self.keys.setdefault(table, []).append(column)

    def table(self, name):
        """The name as the server spells it; None without such a table."""
        return next((title for title in self.types if title.lower() == name.lower()), None)

    def column(self, table, name):
        return next((title for title in self.types[table] if title.lower() == name.lower()), None)

    def rows(self, table, columns):
        """The values of these columns."""
        types = self.types[table]
        places = {name: place for place, name in enumerate(types)}
        rows = lines(self.folder / f"rows.{table}")
        return [[value(types[name], row[places[name]]) for name in columns] for row in rows]

    def own(self, table, *columns):
        """Rows of one of the engine's own tables."""
        return [[python(each) for each in row] for row in self.rows(table, columns)]
