"""Opens sealed cells, by the article SealedCells alone: no line of it was taken from Lockstep's sources.

Reads one JSON object per line: field_key, dataset, cell (hex), column (its number), identity (hex, for a column that has
one), key (none, or a list of [type, hex]).
Prints one line for each: the type's tag and the payload in hex, or `forged`, `malformed` or `other-binding`.

An object with an index_key instead asks for a token: see blind_index.py; one with a manifest or a publisher, whether it
holds: see check_manifest.py.
"""

import json
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from blind_index import token
from check_ledger import check_ledger
from check_manifest import check
from check_registry import check as check_registry
from chunked import opened

XAES, EQUAL, CHUNKED = "XAES", "EQUAL", "CHUNKED"
# The first byte: the format and the binding version.
FORMS = {0xF9: (XAES, 1), 0xFA: (EQUAL, 1), 0xFB: (CHUNKED, 1), 0xFC: (XAES, 2), 0xFD: (EQUAL, 2), 0xFE: (CHUNKED, 2)}
# The least length: the bytes before the plaintext, one byte of it, and the bytes after it.
LEAST = {XAES: 5 + 24 + 1 + 16, EQUAL: 5 + 16 + 1, CHUNKED: 5 + 24 + 32 + 1}
PADDED = 0x80
LENGTHS = {0: 0, 1: 8, 2: 8}
TEXT = 3


def block(key, data):
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def message_key(key, nonce):
    """C2SP's XAES-256-GCM: CMAC's subkey K1, then one block for each half."""
    k1 = int.from_bytes(block(key, bytes(16)), "big") << 1
    if k1 >> 128:
        k1 = (k1 ^ 0x87) & ((1 << 128) - 1)
    halves = b""
    for counter in (1, 2):
        message = int.from_bytes(struct.pack(">HBB", counter, 0x58, 0) + nonce[:12], "big")
        halves += block(key, (message ^ k1).to_bytes(16, "big"))
    return halves


def owner_of(request):
    """The binding version of a column, and what its keys are derived from."""
    if request.get("identity"):
        return 2, bytes.fromhex(request["identity"])
    return 1, struct.pack(">I", request["column"])


def associated_data(binding, prefix, dataset, owner, key):
    data = bytes([binding]) + prefix + dataset + owner
    if key is None:
        return data + b"\x00\x00"
    data += bytes([1, len(key)])
    for tag, value in key:
        value = bytes.fromhex(value)
        data += bytes([tag]) + struct.pack(">I", len(value)) + value
    return data


def payload_of(plaintext):
    if not plaintext:
        return None
    tag, payload = plaintext[0], plaintext[1:]
    if tag & PADDED:
        tag ^= PADDED
        payload = payload.rstrip(b"\x00")
        if payload[-1:] != b"\x80":
            return None
        payload = payload[:-1]
    if tag > 4 or len(payload) != LENGTHS.get(tag, len(payload)):
        return None
    if tag == TEXT:
        try:
            payload.decode("utf-8")
        except UnicodeDecodeError:
            return None
    return tag, payload


def answer(request):
    cell = bytes.fromhex(request["cell"])
    dataset = bytes.fromhex(request["dataset"])
    form, binding = FORMS.get(cell[0] if cell else 0, (None, None))
    if form is None or len(cell) < LEAST[form] or cell[1:5] == bytes(4):
        return "malformed"
    own, owner = owner_of(request)
    if own != binding:
        return "other-binding"
    prefix = cell[:5]
    info = b"field" + owner + prefix[:1]
    length = 64 if form == EQUAL else 32
    key = HKDF(hashes.SHA256(), length, dataset, info).derive(bytes.fromhex(request["field_key"]))
    # Such a cell is valid in any row.
    row = None if form == EQUAL else request.get("key")
    data = associated_data(binding, prefix, dataset, owner, row)
    try:
        if form == CHUNKED:
            plaintext = opened(key, cell[5:], data)
        elif form == EQUAL:
            plaintext = AESSIV(key).decrypt(cell[5:], [data])
        else:
            nonce, sealed = cell[5:29], cell[29:]
            plaintext = AESGCM(message_key(key, nonce)).decrypt(nonce[12:], sealed, data)
    except InvalidTag:
        return "forged"
    found = payload_of(plaintext)
    return f"{found[0]} {found[1].hex()}" if found else "malformed"


def main():
    for line in sys.stdin:
        asked = json.loads(line)
        if "manifest" in asked or "publisher" in asked:
            print(check(asked))
        elif "ledger" in asked:
            print(check_ledger(asked))
        elif "registry" in asked:
            print(check_registry(asked))
        else:
            print(token(asked) if "index_key" in asked else answer(asked))


if __name__ == "__main__":
    main()
