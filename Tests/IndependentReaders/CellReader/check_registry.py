"""Checks what a database records about its sealed columns, by the article SealedCells alone: no line of it was taken from
Lockstep's sources.

A request has registry, an object of the tables' rows (lists of values in the order of the article; bytes in hex),
and field_keys, hex by version. It can have remembered, a state that somebody has seen: the number of its changes, the code
of its set and the id of the database that it was of, in hex. The answer is `holds` or `forged`; of a state that did not
come from the remembered one, `elsewhere`.
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
    dataset, changes, version, mac, database, registry, earlier, folded = rows["dataset"][0]
    if None in (database, registry, earlier) or (len(database), len(registry)) != (32, 32):
        return "forged"
    kept = [earlier[place : place + 64] for place in range(0, len(earlier), 64)]
    if len(kept) > 65536 or any(len(one) != 64 for one in kept):
        return "forged"
    if len(kept) != changes - 1 if folded is None else len(folded) != 64 or len(kept) >= changes - 1:
        return "forged"
    # What the codes begin with, after label and dataset.
    own = part(bytes.fromhex(registry))
    dataset = bytes.fromhex(dataset)
    field_key = bytes.fromhex(request["field_keys"][str(version)])
    key = HKDF(hashes.SHA256(), 32, dataset, b"registry").derive(field_key)

    def code(message):
        return hmac.new(key, message, hashlib.sha256).digest()

    columns, indexes = [], []
    for identifier, table, name, mode, padding, state, cursor, given, row_key, identity in rows["columns"]:
        if row_key is not None and not is_row_key(row_key):
            return "forged"
        if identity is not None and len(identity) != 32:
            return "forged"
        due = code(
            text("column/3") + part(dataset) + own + number(identifier) + text(table) + text(name) + text(mode)
            + text(state) + number(padding) + maybe(cursor) + maybe(row_key, text)
            + maybe(identity and bytes.fromhex(identity), part)
        )
        columns.append(due)
        if due.hex() != given:
            return "forged"
    for column, place, name, normaliser, bits, index_version, commitment, given in rows["indexes"]:
        due = code(
            text("index/3") + part(dataset) + own + number(column) + number(place) + text(name) + text(normaliser)
            + number(bits) + number(index_version) + part(bytes.fromhex(commitment))
        )
        indexes.append(due)
        if due.hex() != given:
            return "forged"
    whole = text("set/4") + part(dataset) + own + part(bytes.fromhex(database)) + number(changes)
    whole += maybe(folded and bytes.fromhex(folded), part) + part(bytes.fromhex(earlier))
    whole += number(version) + number(len(columns))
    whole += b"".join(map(part, columns)) + number(len(rows["keys"]))
    for key_version, commitment in rows["keys"]:
        whole += number(key_version) + part(bytes.fromhex(commitment))
        own = request["field_keys"].get(str(key_version))
        # No salt means as many zeros as the hash has bytes (RFC 5869).
        if own and HKDF(hashes.SHA256(), 32, None, b"commit").derive(bytes.fromhex(own)).hex() != commitment:
            return "forged"
    whole += number(len(indexes)) + b"".join(map(part, indexes))
    if code(whole).hex() != mac:
        return "forged"
    for epoch_dataset, ring, epoch, given in rows.get("epochs", []):
        if epoch_dataset != rows["dataset"][0][0]:
            continue
        message = text("epoch/1") + part(dataset) + part(bytes.fromhex(registry)) + part(bytes.fromhex(ring))
        # Under the key of any version.
        codes = [
            hmac.new(
                HKDF(hashes.SHA256(), 32, dataset, b"registry").derive(bytes.fromhex(one)),
                message + number(epoch), hashlib.sha256,
            ).hexdigest()
            for one in request["field_keys"].values()
        ]
        if given not in codes:
            return "forged"
    if "remembered" not in request:
        return "holds"
    seen, code_seen, of = request["remembered"]
    if seen == changes:
        return "holds" if code_seen == mac else "elsewhere"
    # Of another database it is the very state that counts.
    came_from = of == database and 0 < changes - seen <= len(kept) and kept[seen - changes] == code_seen
    return "holds" if came_from else "elsewhere"
