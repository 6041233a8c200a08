"""Checks manifests, by the articles ReleaseManifests and SealedCells alone: no line of it was taken from Lockstep's sources.

A request has manifest (its text), publisher (the known key, in base64), dataset, changes and code (as the database has them;
bytes in hex), and tables: for each name its rows in any order, each a list of the values of key and sealed columns as
[type, bytes in hex]. That is enough for version 1. A request with database instead of all these, the path of a plain SQLite
file as read_pages.py writes it, and publisher and dataset, is checked against the file's content, in both versions. The
answer is `holds`, or what does not, one word for each, separated by spaces.
"""

import base64
import binascii
import datetime
import hashlib
import re
import sqlite3
import struct

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

NULL, INTEGER, REAL, TEXT, BLOB = 0, 1, 2, 3, 4
GREATEST = 2**63 - 1
OMISSIONS = [
    "omits rows of tables without a sealed column",
    "omits tables of the engine and of SQLite: the ledger, the memory of keyrings, statistics",
    "omits rowids that no column names, values of VIRTUAL generated columns, and the header of the file",
    "omits whether an older copy of the whole file was put back",
]
STATISTICS = ["sqlite_sequence", "sqlite_stat1", "sqlite_stat2", "sqlite_stat3", "sqlite_stat4"]


class Malformed(Exception):
    pass


def require(condition):
    if not condition:
        raise Malformed


def unbase64(text, count):
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise Malformed from None
    require(len(data) == count and base64.b64encode(data).decode().rstrip("=") == text)
    return data


def number(text, least, most):
    require(re.fullmatch("0|[1-9][0-9]*", text) and least <= int(text) <= most)
    return int(text)


def name(text):
    require(re.fullmatch("(?:[A-Za-z0-9_]|%[0-9A-F]{2})+", text))
    plain = re.sub("%(..)", lambda match: chr(int(match[1], 16)), text).encode("latin-1")
    # A character that can stand for itself is not percent-encoded.
    require(not re.search(b"[A-Za-z0-9_]", bytes.fromhex("".join(re.findall("%(..)", text)))))
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed from None


def fields(line, word, count):
    parts = line.split(" ")
    require(len(parts) == count and parts[0] == word)
    return parts[1:]


def ascending(items):
    require(all(one < next for one, next in zip(items, items[1:])))


def identifier(text):
    return number(text, 1, 2**32 - 1)


def table_line(table, line, version):
    """Reads a line of a table; the lines come in this order of kinds."""
    kinds = ["key", "column"] + (["token", "plain", "index"] if version == 2 else [])
    word = line.split(" ")[0]
    require(word in kinds)
    # No line follows one of a later kind, and sealed columns come before the lines that depend on them.
    require(not any(table[kind] for kind in kinds[kinds.index(word) + 1 :]))
    require(kinds.index(word) < 2 or table["column"])
    if word in ("key", "plain"):
        table[word].append(name(fields(line, word, 2)[0]))
    elif word == "column":
        column, title = fields(line, word, 3)
        table[word].append((identifier(column), name(title)))
    elif word == "token":
        column, index, title = fields(line, word, 4)
        table[word].append((identifier(column), identifier(index), name(title)))
        require(table[word][-1][0] in [known for known, _ in table["column"]])
    else:
        title, digest = fields(line, word, 3)
        table[word].append((name(title), unbase64(digest, 32)))


def parse(text):
    require(len(text) <= 1 << 20 and text.endswith("\n") and re.fullmatch("[\n -~]*", text))
    lines = text[:-1].split("\n")
    require(len(lines) > 5 and lines[0] in ("lockstep-manifest/1", "lockstep-manifest/2"))
    version = int(lines[0][-1])
    manifest = {"version": version, "dataset": unbase64(fields(lines[1], "dataset", 2)[0], 16), "tables": []}
    release, day = fields(lines[2], "release", 3)
    manifest["number"] = number(release, 1, GREATEST)
    require(re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", day))
    try:
        datetime.date.fromisoformat(day)
    except ValueError:
        raise Malformed from None
    changes, code = fields(lines[3], "registry", 3)
    manifest["changes"], manifest["code"] = number(changes, 1, GREATEST), unbase64(code, 32)
    first, last = 4, len(lines) - 1
    if version == 2:
        definitions, digest = fields(lines[4], "schema", 3)
        manifest["definitions"] = number(definitions, 1, GREATEST)
        manifest["schema"] = unbase64(digest, 32)
        first, last = 5, last - len(OMISSIONS)
        require(lines[last:-1] == OMISSIONS)
    tables = manifest["tables"]
    for line in lines[first:last]:
        if line.startswith("table "):
            title, rows, *digests = fields(line, "table", 3 + version)
            tables.append({"name": name(title), "rows": number(rows, 0, GREATEST),
                           "digests": [unbase64(digest, 32) for digest in digests],
                           "key": [], "column": [], "token": [], "plain": [], "index": []})
        else:
            require(tables)
            table_line(tables[-1], line, version)
    require(tables)
    ascending([table["name"].encode() for table in tables])
    ids = [column for table in tables for column, _ in table["column"]]
    require(len(set(ids)) == len(ids))
    for table in tables:
        require(table["column"])
        ascending([column for column, _ in table["column"]])
        ascending([token[:2] for token in table["token"]])
        ascending([title.encode() for title in table["plain"]])
        ascending([title.encode() for title, _ in table["index"]])
    signature = fields(lines[-1], "sig", 4)
    require(signature[0] == "ed25519")
    manifest["publisher"], manifest["signature"] = unbase64(signature[1], 32), unbase64(signature[2], 64)
    manifest["signed"] = "".join(line + "\n" for line in lines[:-1]).encode()
    return manifest


def order(value):
    kind, data = value
    if kind == NULL:
        return 0, 0
    if kind in (INTEGER, REAL):
        return 1, struct.unpack(">q" if kind == INTEGER else ">d", data)[0]
    return 2 if kind == TEXT else 3, data


def encoded(row):
    return b"".join(struct.pack(">BI", kind, len(data)) + data for kind, data in row)


def digest_of_set(rows):
    return hashlib.sha256(b"".join(sorted(hashlib.sha256(encoded(row)).digest() for row in rows))).digest()


def digest(rows, keys, version):
    """The digest of rows that begin with this many values of a key."""
    if not keys and version == 2:
        return digest_of_set(rows)
    ordered = sorted(rows, key=lambda row: [order(value) for value in row[: keys or len(row)]])
    return hashlib.sha256(b"".join(map(encoded, ordered))).digest()


def row_findings(table, rows, version):
    if len(rows) != table["rows"]:
        return ["rows-missing" if len(rows) < table["rows"] else "rows-added"]
    keys = len(table["key"])
    sealed = [row[: keys + len(table["column"])] for row in rows]
    if digest(sealed, keys, version) != table["digests"][0]:
        return ["rows-changed"]
    if version == 2 and digest(rows, keys, version) != table["digests"][1]:
        return ["plain-changed"]
    return []


def registry_findings(manifest, changes, code):
    if changes != manifest["changes"]:
        return ["registry-older" if changes < manifest["changes"] else "registry-newer"]
    return [] if code == manifest["code"] else ["registry-other"]


# A request's description of a database


def findings_of_request(manifest, request):
    require(manifest["version"] == 1)
    found = registry_findings(manifest, request["changes"], bytes.fromhex(request["code"]))
    for table in manifest["tables"]:
        rows = request["tables"].get(table["name"])
        if rows is None:
            found.append("table-missing")
            continue
        rows = [[(kind, bytes.fromhex(data)) for kind, data in row] for row in rows]
        found += row_findings(table, rows, 1)
    return found


# The content of a file


class Text(bytes):
    """Text; bytes are a BLOB."""


def value(stored):
    if stored is None:
        return NULL, b""
    if isinstance(stored, int):
        return INTEGER, struct.pack(">q", stored)
    if isinstance(stored, float):
        return REAL, struct.pack(">d", stored)
    return (TEXT if isinstance(stored, Text) else BLOB), bytes(stored)


def lowered(text):
    """In lower case, as SQLite does it."""
    return (text if isinstance(text, bytes) else text.encode()).lower()


class Database:
    def __init__(self, path):
        self.connection = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        self.connection.text_factory = Text

    def rows(self, sql, *arguments):
        return self.connection.execute(sql, arguments).fetchall()

    def has_table(self, title):
        return bool(self.rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", title))

    def text(self, dataset):
        if not self.has_table("lockstep_manifest"):
            return None
        rows = self.rows("SELECT text FROM lockstep_manifest WHERE dataset = ?", dataset)
        return bytes(rows[0][0]).decode("latin-1") if rows else None

    def key(self, table):
        """The columns of its primary key, or none if it does not distinguish rows."""
        columns = self.rows("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?) WHERE pk ORDER BY pk", table)
        is_bare = self.rows("SELECT wr FROM pragma_table_list WHERE name = ?", table)[0][0]
        has_index = self.rows("SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk'", table)
        is_rowid = len(columns) == 1 and lowered(columns[0][1]) == b"integer" and not has_index
        stands = columns and (is_bare or is_rowid or all(column[2] for column in columns))
        return [lowered(column[0]) for column in columns] if stands else []

    def stored_columns(self, table):
        return [lowered(row[0]) for row in self.rows("SELECT name FROM pragma_table_xinfo(?) WHERE hidden IN (0, 3)", table)]

    def definitions(self):
        """(type, name, table) in SQLite's lower case except for the name, and the encoded row."""
        for row in self.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema"):
            kind, title, table, sql = row
            if kind == b"index" and (sql is None or lowered(table).startswith(b"lockstep_")):
                continue
            if kind == b"table" and (lowered(title).startswith(b"lockstep_") or title.decode() in STATISTICS):
                continue
            yield (kind, title, lowered(table)), [value(each) for each in row]


def claimed_findings(manifest, database):
    dataset = manifest["dataset"]
    if not database.has_table("lockstep_dataset"):
        return ["registry-missing"]
    rows = database.rows("SELECT changes, mac FROM lockstep_dataset WHERE dataset = ?", dataset)
    if not rows or not isinstance(rows[0][0], int) or isinstance(rows[0][1], (Text, int, float, type(None))):
        return ["registry-missing"]
    found = registry_findings(manifest, *rows[0])
    if found:
        return found
    columns = sorted((column, b"sealed", lowered(table["name"]), lowered(title))
                     for table in manifest["tables"] for column, title in table["column"])
    tokens = sorted((column, index, lowered(title))
                    for table in manifest["tables"] for column, index, title in table["token"])
    try:
        said = database.rows("SELECT id, state, lower(table_name), lower(name) FROM lockstep_column WHERE dataset = ?"
                             " AND state IS NOT 'plaintext' ORDER BY id", dataset)
        same = said == columns
        if manifest["version"] == 2 and same:
            said = database.rows("SELECT column_id, number, lower(name) FROM lockstep_index WHERE dataset = ?"
                                 " ORDER BY column_id, number", dataset)
            same = said == tokens
    except sqlite3.OperationalError:
        same = False
    return [] if same else ["registry-other"]


def table_findings(table, database, version, definitions):
    names = [row[0] for row in database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    actual = next((title for title in names if lowered(title) == lowered(table["name"])), None)
    if actual is None:
        return ["table-missing"]
    actual = actual.decode()
    indexes = {title.decode(): data for (kind, title, owner), data in definitions
               if kind == b"index" and owner == lowered(actual)}
    found = []
    for title, released in table["index"]:
        if title not in indexes:
            found.append("index-missing")
        elif hashlib.sha256(encoded(indexes[title])).digest() != released:
            found.append("index-changed")
    if version == 2:
        found += ["index-added"] * len(indexes.keys() - {title for title, _ in table["index"]})
    columns = table["key"] + [title for _, title in table["column"]]
    stored = database.stored_columns(actual)
    if version == 2:
        columns += [title for _, _, title in table["token"]] + table["plain"]
    missing = {lowered(column) for column in columns} - set(stored)
    added = set(stored) - {lowered(column) for column in columns} if version == 2 else set()
    if database.key(actual) != [lowered(column) for column in table["key"]] or missing or added:
        return ["table-other"] + found
    quoted = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
    title = '"' + actual.replace('"', '""') + '"'
    rows = [[value(each) for each in row] for row in database.rows(f"SELECT {quoted} FROM {title}")]
    return row_findings(table, rows, version) + found


def findings_of_file(manifest, database):
    found = claimed_findings(manifest, database)
    definitions = list(database.definitions())
    if manifest["version"] == 2:
        owners = [lowered(table["name"]) for table in manifest["tables"]]
        others = [data for (kind, _, owner), data in definitions if kind != b"index" or owner not in owners]
        if (len(others), digest_of_set(others)) != (manifest["definitions"], manifest["schema"]):
            found.append("schema-changed")
    for table in manifest["tables"]:
        found += table_findings(table, database, manifest["version"], definitions)
    return found


def verdict(text, request, findings):
    """What is wrong with a manifest's text, or else with what `findings` compares it with."""
    if text is None:
        return "missing"
    try:
        manifest = parse(text)
    except Malformed:
        return "malformed"
    if manifest["publisher"] != unbase64(request["publisher"], 32):
        return "foreign-publisher"
    try:
        public = Ed25519PublicKey.from_public_bytes(manifest["publisher"])
        public.verify(manifest["signature"], manifest["signed"])
    except InvalidSignature:
        return "forged"
    if manifest["dataset"].hex() != request["dataset"]:
        return "other-dataset"
    return " ".join(findings(manifest)) or "holds"


def check(request):
    if "database" not in request:
        return verdict(request["manifest"], request, lambda manifest: findings_of_request(manifest, request))
    database = Database(request["database"])
    text = database.text(bytes.fromhex(request["dataset"]))
    return verdict(text, request, lambda manifest: findings_of_file(manifest, database))
