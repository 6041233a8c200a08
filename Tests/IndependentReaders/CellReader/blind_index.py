"""Computes tokens of blind indexes, by the article SealedCells alone: no line of it was taken from Lockstep's sources.

A request has index_key, dataset (hex), column, identity (hex, for a column that has one), number, bits, and values: a
list of [normaliser, type, payload in hex].
The answer is the token in decimal, or in hex where it is a BLOB, or `none`.

Python's own Unicode data are right for texts whose characters are assigned in them exactly as in Unicode 15.0; with
Python 3.12 that is every text.
"""

import hashlib
import hmac
import math
import struct
import unicodedata

REAL = 2


def hkdf(key, salt, info):
    extracted = hmac.digest(salt, key, hashlib.sha256)
    return hmac.digest(extracted, info + b"\x01", hashlib.sha256)


def casefold(text):
    if any(unicodedata.category(character) == "Cn" for character in text):
        return text
    folded = unicodedata.normalize("NFD", text).casefold()
    return unicodedata.normalize("NFC", folded)


def real(number):
    return struct.pack(">d", number + 0.0)


def normalised_text(name, text):
    if name == "lower":
        return text.encode().lower()
    if name == "casefold":
        return casefold(text).encode()
    if name == "digits":
        return bytes(byte for byte in text.encode() if 0x30 <= byte <= 0x39) or None
    if name == "email":
        return casefold(text.strip("\t\n\v\f\r ")).encode() or None
    count = int(name.removeprefix("prefix-"))
    folded = casefold(text)
    return folded[:count].encode() if len(folded) >= count else None


def normalised(name, tag, payload):
    number = struct.unpack(">d", payload)[0] if tag == REAL else None
    if tag == 0 or number is not None and math.isnan(number):
        return None
    if name == "exact":
        return payload if number is None else real(number)
    if not name.startswith("bucket-"):
        return normalised_text(name, payload.decode())
    width = int(name.removeprefix("bucket-"))
    if number is None:
        return struct.pack(">q", struct.unpack(">q", payload)[0] // width)
    # math.floor() returns integers, and infinity has none.
    share = number / float(width)
    return real(share if math.isinf(share) else float(math.floor(share)))


def token(request):
    values = [(name, tag, bytes.fromhex(payload)) for name, tag, payload in request["values"]]
    identity = bytes.fromhex(request.get("identity") or "")
    info = b"index\x02" + identity if identity else b"index\x01" + struct.pack(">I", request["column"])
    info += struct.pack(">IHB", request["number"], request["bits"], len(values))
    message = b""
    for name, tag, payload in values:
        info += struct.pack(">I", len(name)) + name.encode()
        value = normalised(name, tag, payload)
        if value is None:
            return "none"
        length = struct.pack(">I", len(value)) if len(values) > 1 else b""
        message += bytes([tag]) + length + value
    key = hkdf(bytes.fromhex(request["index_key"]), bytes.fromhex(request["dataset"]), info)
    code = hmac.digest(key, message, hashlib.sha256)
    bits = request["bits"]
    if bits > 63:
        return code[: bits // 8].hex()
    return str(int.from_bytes(code[:8], "big") >> (64 - bits))
