"""Checks what a database records about its sealed columns, by the article SealedCells alone: no line of it was taken from
Lockstep's sources.

A request has registry, an object of the four tables' rows (lists of values in the order of the article; bytes in hex),
database, the id of the database in hex or null, and field_keys, hex by version. Values that only a later format has are
the last in their row, and are null in an earlier one. The answer is `holds` or `forged`.
"""

import hashlib
import hmac
import re
import struct

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def number(value):
    return struct.pack(">q" if value < 0 else ">Q", value)


def part(value):
    return number(len(value)) + value


def text(value):
    return part(value.encode())


def maybe(value, encoded=number):
    return b"\0" if value is None else b"\1" + encoded(value)


def is_row_key(row_key):
    """`row` and one name, or `key` and one or more."""
    word, *names = row_key.split(" ")
    plain = all(re.fullmatch("([A-Za-z0-9_]|%[0-9A-F]{2})+", name) for name in names)
    return plain and (len(names) == 1 if word == "row" else word == "key" and names)


def check(request):
    rows = request["registry"]
    if len(rows["dataset"]) != 1:
        return "forged"
    dataset, changes, version, mac, database, registry = rows["dataset"][0]
    if database is not None and (database != request["database"] or registry is not None):
        return "forged"
    form = 3 if registry is not None else 1 if database is None else 2
    # What the codes of the third format begin with, after label and dataset.
    own = part(bytes.fromhex(registry)) if form == 3 else b""
    dataset = bytes.fromhex(dataset)
    field_key = bytes.fromhex(request["field_keys"][str(version)])
    key = HKDF(hashes.SHA256(), 32, dataset, b"registry").derive(field_key)

    def code(message):
        return hmac.new(key, message, hashlib.sha256).digest()

    columns, indexes = [], []
    for identifier, table, name, mode, padding, state, cursor, given, row_key, identity in rows["columns"]:
        if row_key is not None and (form == 1 or not is_row_key(row_key)):
            return "forged"
        if identity is not None and (form < 3 or len(identity) != 32):
            return "forged"
        due = code(
            text(f"column/{form}") + part(dataset) + own + number(identifier) + text(table) + text(name) + text(mode)
            + text(state) + number(padding) + maybe(cursor) + (b"" if form == 1 else maybe(row_key, text))
            + (maybe(identity and bytes.fromhex(identity), part) if form == 3 else b"")
        )
        columns.append(due)
        if due.hex() != given:
            return "forged"
    for column, place, name, normaliser, bits, index_version, commitment, given in rows["indexes"]:
        due = code(
            text("index/3" if form == 3 else "index/1") + part(dataset) + own + number(column) + number(place) + text(name) + text(normaliser)
            + number(bits) + number(index_version) + part(bytes.fromhex(commitment))
        )
        indexes.append(due)
        if due.hex() != given:
            return "forged"
    whole = text(f"set/{form}") + part(dataset) + (part(bytes.fromhex(database)) if form == 2 else own)
    whole += number(changes) + number(version) + number(len(columns))
    whole += b"".join(map(part, columns)) + number(len(rows["keys"]))
    for key_version, commitment in rows["keys"]:
        whole += number(key_version) + part(bytes.fromhex(commitment))
        own = request["field_keys"].get(str(key_version))
        # No salt means as many zeros as the hash has bytes (RFC 5869).
        if own and HKDF(hashes.SHA256(), 32, None, b"commit").derive(bytes.fromhex(own)).hex() != commitment:
            return "forged"
    whole += number(len(indexes)) + b"".join(map(part, indexes))
    return "holds" if code(whole).hex() == mac else "forged"
