"""Checks rows of a ledger by the article Migrating alone: no line of it was taken from Lockstep's sources.

A request has ledger, one row as a list of values in the order of the article (checksums, dataset and mac in hex), and
field_keys, hex by version. The answer is `holds` or `forged`.
"""

import hashlib
import hmac
import struct

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def number(value):
    return struct.pack(">q" if value < 0 else ">Q", value)


def part(value):
    return number(len(value)) + value


def text(value):
    return part(value.encode())


def maybe(value):
    return b"\0" if value is None else b"\1" + text(value)


def check_ledger(request):
    (
        position, set_name, version, name, of_bytes, of_text, of_tokens, down, applied_at, duration, tool_version,
        dataset, key_version, mac,
    ) = request["ledger"]
    dataset = bytes.fromhex(dataset)
    field_key = bytes.fromhex(request["field_keys"][str(key_version)])
    key = HKDF(hashes.SHA256(), 32, dataset, b"ledger").derive(field_key)
    message = text("ledger/1") + part(dataset) + number(key_version) + number(position)
    message += text(set_name) + text(version) + text(name)
    message += b"".join(part(bytes.fromhex(one)) for one in (of_bytes, of_text, of_tokens))
    message += maybe(down) + number(applied_at) + number(duration) + text(tool_version)
    return "holds" if hmac.new(key, message, hashlib.sha256).hexdigest() == mac else "forged"
