"""Checks manifests, by the article SealedCells alone: no line of it was taken from Lockstep's sources.

A request has manifest (its text), publisher (the known key, in base64), dataset, changes and code (as the database says them;
bytes in hex), and tables: for each name its rows in any order, each a list of the values of key and sealed columns as
[type, bytes in hex]. The answer is `holds`, or what does not, one word for each, parted by spaces.
"""

import base64
import binascii
import datetime
import hashlib
import re
import struct

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

NULL, INTEGER, REAL, TEXT = 0, 1, 2, 3
GREATEST = 2**63 - 1


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
    # What could stand for itself is not spelled otherwise.
    require(not re.search(b"[A-Za-z0-9_]", bytes.fromhex("".join(re.findall("%(..)", text)))))
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed from None


def fields(line, word, count):
    parts = line.split(" ")
    require(len(parts) == count and parts[0] == word)
    return parts[1:]


def parse(text):
    require(len(text) <= 1 << 20 and text.endswith("\n") and re.fullmatch("[\n -~]*", text))
    lines = text[:-1].split("\n")
    require(len(lines) > 5 and lines[0] == "lockstep-manifest/1")
    manifest = {"dataset": unbase64(fields(lines[1], "dataset", 2)[0], 16), "tables": []}
    release, day = fields(lines[2], "release", 3)
    manifest["number"] = number(release, 1, GREATEST)
    require(re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", day))
    try:
        datetime.date.fromisoformat(day)
    except ValueError:
        raise Malformed from None
    changes, code = fields(lines[3], "registry", 3)
    manifest["changes"], manifest["code"] = number(changes, 1, GREATEST), unbase64(code, 32)
    for line in lines[4:-1]:
        tables = manifest["tables"]
        if line.startswith("table "):
            parts = fields(line, "table", 4)
            rows = number(parts[1], 0, GREATEST)
            tables.append({"name": name(parts[0]), "rows": rows, "digest": unbase64(parts[2], 32),
                           "key": [], "columns": []})
            continue
        require(tables)
        if line.startswith("key "):
            require(not tables[-1]["columns"])
            tables[-1]["key"].append(name(fields(line, "key", 2)[0]))
        else:
            column, title = fields(line, "column", 3)
            tables[-1]["columns"].append((number(column, 1, 2**32 - 1), name(title)))
    names = [table["name"].encode() for table in manifest["tables"]]
    require(names and names == sorted(set(names)))
    ids = [column for table in manifest["tables"] for column, _ in table["columns"]]
    require(len(set(ids)) == len(ids))
    for table in manifest["tables"]:
        require(table["columns"] and table["columns"] == sorted(table["columns"]))
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


def digest(rows, sorted_by):
    total = hashlib.sha256()
    for row in sorted(rows, key=lambda row: [order(value) for value in row[:sorted_by]]):
        for kind, data in row:
            total.update(struct.pack(">BI", kind, len(data)) + data)
    return total.digest()


def table_findings(table, rows):
    if rows is None:
        return ["table-missing"]
    rows = [[(kind, bytes.fromhex(data)) for kind, data in row] for row in rows]
    if len(rows) != table["rows"]:
        return ["rows-missing" if len(rows) < table["rows"] else "rows-added"]
    width = len(table["key"]) + len(table["columns"])
    same = digest(rows, len(table["key"]) or width) == table["digest"]
    return [] if same else ["rows-changed"]


def check(request):
    try:
        manifest = parse(request["manifest"])
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
    findings = []
    if request["changes"] != manifest["changes"]:
        findings.append("registry-older" if request["changes"] < manifest["changes"] else "registry-newer")
    elif request["code"] != manifest["code"].hex():
        findings.append("registry-other")
    for table in manifest["tables"]:
        findings += table_findings(table, request["tables"].get(table["name"]))
    return " ".join(findings) or "holds"
