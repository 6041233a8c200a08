"""Reads keyrings, of formats 1 and 4, by Keys/README.md and nothing else: a second opinion on Lockstep's
own code.

    read_keyring.py FILE KIND [VARIABLE] < SECRET

KIND is scrypt, keyfile, env, command, x25519 or plugin, whose secret is the file key that the plugin gave. The secret
comes through standard input, never as an argument.
Prints what the keyring holds as JSON, with the SHA-256 of each key instead of the key.
"""

import datetime
import hashlib
import hmac
import json
import re
import sys
import unicodedata

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from keyring_pieces import NAME, PLUGIN, VARIABLE, Refusal, malformed, matches, number, unbase64
from keyring_records import check_records, read_records, shown

KINDS = {"database": ("database", ["database"]), "fields": ("dataset", ["field", "index", "manifest"])}
LARGEST = {1: 262144, 4: 4194304}
STATES = ["pending", "active", "retired", "destroyed", "compromised"]


# Primitives


def hkdf(secret, salt, info, count=32):
    prk = hmac.digest(salt or bytes(32), secret, "sha256")
    out, block, counter = b"", b"", 1
    while len(out) < count:
        block = hmac.digest(prk, block + info + bytes([counter]), "sha256")
        out, counter = out + block, counter + 1
    return out[:count]


def aes_block(key, block):
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return encryptor.update(block) + encryptor.finalize()


def xaes_key(key, nonce):
    doubled = int.from_bytes(aes_block(key, bytes(16)), "big") << 1
    k1 = (doubled ^ (0x87 if doubled >> 128 else 0)) & (1 << 128) - 1
    derived = b""
    for counter in (1, 2):
        block = bytes([0, counter, 0x58, 0]) + nonce[:12]
        derived += aes_block(key, (k1 ^ int.from_bytes(block, "big")).to_bytes(16, "big"))
    return derived


def gcm_open(key, nonce, sealed, data):
    try:
        return AESGCM(key).decrypt(nonce, sealed, data)
    except InvalidTag:
        return None


def scrypt(secret, salt, log_n):
    n = 1 << log_n
    return hashlib.scrypt(secret, salt=salt, n=n, r=8, p=1, maxmem=128 * 8 * n + (1 << 21), dklen=32)


def x25519(secret, point):
    """None if the result is all zeros."""
    try:
        private = X25519PrivateKey.from_private_bytes(secret)
        shared = private.exchange(X25519PublicKey.from_public_bytes(point))
    except ValueError:
        return None
    return shared if any(shared) else None


def x25519_public(secret):
    return raw(X25519PrivateKey.from_private_bytes(secret).public_key())


def raw(public):
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def bech32_checksum(values):
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            check ^= generator if top >> bit & 1 else 0
    return check


def bech32_expand(prefix):
    return [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]


def bech32_decode(text, prefix):
    if text != text.lower() and text != text.upper():
        raise ValueError("both cases")
    head, separator, data = text.lower().rpartition("1")
    if not separator or head != prefix or len(data) < 6 or any(c not in BECH32 for c in data):
        raise ValueError("no Bech32 of that kind")
    values = [BECH32.index(c) for c in data]
    if bech32_checksum(bech32_expand(head) + values) != 1:
        raise ValueError("the checksum is wrong")
    bits = "".join(f"{value:05b}" for value in values[:-6])
    used = len(bits) // 8 * 8
    if len(bits) - used > 4 or "1" in bits[used:]:
        raise ValueError("the padding is wrong")
    return bytes(int(bits[i : i + 8], 2) for i in range(0, used, 8))


def parse_identity(text):
    secret = bech32_decode(text, "age-secret-key-")
    if len(secret) != 32 or text != text.upper():
        raise ValueError("no identity")
    return secret


def parse_slot(header, body):
    fields = header.split(" ")
    if len(fields) < 3 or "" in fields:
        raise malformed("a slot's header")
    kind = matches(NAME, fields[1])
    slot = {"header": header, "type": kind, "name": matches(NAME, fields[2])}
    counts = {"scrypt": 7, "keyfile": 4, "env": 5, "command": 4, "x25519": 5}
    if kind in counts and len(fields) != counts[kind]:
        raise malformed("a slot's fields")
    if kind == "plugin":
        if len(fields) < 7 or len(header) > 8192:
            raise malformed("a plugin slot's fields")
        matches(PLUGIN, fields[3])
        if fields[5] != "-" and len(unbase64(fields[5])) > 4096:
            raise malformed("a stanza's body")
    if kind == "env":
        slot["variable"] = matches(VARIABLE, fields[3])
    if kind == "x25519":
        slot["share"], slot["tag"] = unbase64(fields[3], 32), unbase64(fields[4], 8)
    elif kind in counts or kind == "plugin":
        slot["salt"] = unbase64(fields[4 if kind in ("env", "plugin") else 3], 16)
    if kind == "scrypt":
        log_n = number(fields[4], 0, 63)
        r, p = number(fields[5], 0, 2**32 - 1), number(fields[6], 0, 2**32 - 1)
        if not 14 <= log_n <= 20 or r != 8 or p != 1:
            raise Refusal("keyring-unsupported", "scrypt's costs")
        slot["log_n"] = log_n
    slot["body"] = unbase64(body, 80 if kind in counts or kind == "plugin" else None)
    return slot


def parse_key(line):
    fields = line.split(" ")
    if len(fields) != 7 or fields[3] not in STATES:
        raise malformed("a key's line")
    year, month, day = map(int, matches("([0-9]{4})-([0-9]{2})-([0-9]{2})", fields[4]).split("-"))
    try:
        # Python's years begin at 1; 2000 has the same calendar as year 0.
        datetime.date(year or 2000, month, day)
    except ValueError:
        raise malformed("no day") from None
    if (fields[6] == "-") != (fields[3] == "destroyed"):
        raise malformed("material and state")
    return {
        "kind": fields[1], "version": number(fields[2], 1, 2**32 - 1), "state": fields[3],
        "since": fields[4], "commitment": unbase64(fields[5], 32),
        "wrapped": None if fields[6] == "-" else unbase64(fields[6], 72),
        "line": " ".join(fields[:6]).encode(),
    }


# The whole


def parse(text):
    """The keyring's structure; no secret is needed, and nothing is proven yet."""
    if len(text) > LARGEST[4] or text[-1:] != b"\n":
        raise malformed("too large, or no LF at the end")
    if any(byte != 10 and not 0x20 <= byte <= 0x7E for byte in text):
        raise malformed("a byte that is not allowed")
    lines = text[:-1].decode("ascii").split("\n")
    position = 0

    def above():
        return "".join(line + "\n" for line in lines[:position]).encode()

    def here():
        return lines[position] if position < len(lines) else ""

    if here() not in [f"lockstep-keyring/{form}" for form in LARGEST]:
        code = "keyring-unsupported" if here().startswith("lockstep-keyring/") else "keyring-malformed"
        raise Refusal(code, "the format's name")
    form = int(here()[-1])
    if len(text) > LARGEST[form]:
        raise malformed("too large for its format")
    position = 1
    fields = here().split(" ")
    if len(fields) != 8 or [fields[0], fields[2], fields[4]] != ["ring", "epoch", "purpose"]:
        raise malformed("the ring's line")
    word, kinds = KINDS.get(fields[5], (None, []))
    if fields[6] != word:
        raise malformed("the ring's purpose")
    ring = {
        "id": unbase64(fields[1], 16), "epoch": number(fields[3], 1, 2**63 - 1), "purpose": fields[5],
        "subject": unbase64(fields[7], 16), "slots": [], "keys": [], "signature": None,
        "format": form, "former": [], "file": [], "sealed": [],
    }
    position = 2
    while here().startswith("-> "):
        if position + 1 >= len(lines):
            raise malformed("a slot without a body")
        ring["slots"].append(parse_slot(here(), lines[position + 1]))
        position += 2
    while here().startswith("key "):
        ring["keys"].append(parse_key(here()))
        position += 1

    def take():
        nonlocal position
        position += 1
        return lines[position - 1]

    if form > 1:
        read_records(ring, here, take)
    if here().startswith("sig "):
        fields = here().split(" ")
        if len(fields) != 4 or fields[1] != "ed25519":
            raise malformed("the signature's line")
        ring["signature"] = (unbase64(fields[2], 32), unbase64(fields[3], 64), above())
        position += 1
    fields = here().split(" ")
    if len(fields) != 2 or fields[0] != "---" or position != len(lines) - 1:
        raise malformed("the MAC's line")
    ring["mac"], ring["authenticated"] = unbase64(fields[1], 32), above()
    check_whole(ring, kinds)
    return ring


def check_whole(ring, kinds):
    slots, keys = ring["slots"], ring["keys"]
    if not 1 <= len(slots) <= 64 or len(keys) > 1024:
        raise malformed("the number of slots or keys")
    if len({slot["name"] for slot in slots}) != len(slots):
        raise malformed("two slots of one name")
    if len({(key["kind"], key["version"]) for key in keys}) != len(keys):
        raise malformed("a version stands twice")
    if any(key["kind"] not in kinds for key in keys):
        raise malformed("a key of another purpose")
    for kind in kinds:
        if kind == "manifest" and not any(key["kind"] == kind for key in keys):
            continue  # The keyring was issued.
        if sum(key["kind"] == kind and key["state"] == "active" for key in keys) != 1:
            raise malformed(f"not exactly one active {kind} key")
    check_records(ring)
    if sum(1 << slot["log_n"] for slot in slots if slot["type"] == "scrypt") > 1 << 23:
        raise Refusal("keyring-unsupported", "the slots' costs together")


def slot_secret(slot, secret):
    """The slot's secret and the salt that goes with it; no secret if the slot is not the identity's."""
    if slot["type"] == "plugin":
        return (secret if len(secret) == 16 else None), slot["salt"]
    if slot["type"] == "scrypt":
        return scrypt(secret, slot["salt"], slot["log_n"]), slot["salt"]
    if slot["type"] != "x25519":
        return secret, slot["salt"]
    recipient = x25519_public(secret)
    if hashlib.sha256(recipient).digest()[:8] != slot["tag"]:
        return None, b""
    return x25519(secret, slot["share"]), slot["share"] + recipient


def forms(kind, secret):
    """A secret as slots have it, and then as typed where that differs."""
    if kind != "scrypt":
        return [secret]
    try:
        composed = unicodedata.normalize("NFC", secret.decode()).encode()
    except UnicodeDecodeError:
        return [secret]
    return [composed] if composed == secret else [composed, secret]


def open_slot(slot, ring_id, secret):
    for form in forms(slot["type"], secret):
        ring_key = open_with(slot, ring_id, form)
        if ring_key is not None:
            return ring_key
    return None


def open_with(slot, ring_id, secret):
    shared, salt = slot_secret(slot, secret)
    if shared is None:
        return None
    header = slot["header"].encode()
    derived = hkdf(shared, salt, b"slot/1" + ring_id + header, 64)
    if not hmac.compare_digest(derived[32:], slot["body"][:32]):
        return None
    return gcm_open(derived[:32], bytes(12), slot["body"][32:], header)


def find_ring_key(ring, kind, secret, variable=None):
    tried = False
    for slot in ring["slots"]:
        if slot["type"] == kind and slot.get("variable") == variable:
            tried = True
            ring_key = open_slot(slot, ring["id"], secret)
            if ring_key is not None:
                return slot, ring_key
    raise Refusal("slot-not-opened" if tried else "no-usable-slot", kind)


def unwrap(ring, ring_key, key):
    nonce, sealed = key["wrapped"][:24], key["wrapped"][24:]
    wrap = hkdf(ring_key, ring["id"], b"wrap/1")
    material = gcm_open(xaes_key(wrap, nonce), nonce[12:], sealed, ring["id"] + key["line"])
    if material is None or not hmac.compare_digest(hkdf(material, b"", b"commit"), key["commitment"]):
        raise Refusal("keyring-tampered", f"{key['kind']} key {key['version']}")
    return material


def file_key(material, identity):
    """The key of a file with a key of its own."""
    return hkdf(material, b"", b"file/1" + identity)


def read(text, kind, secret, variable=None):
    """Everything that the keyring holds, checked: a summary for printing."""
    ring = parse(text)
    slot, ring_key = find_ring_key(ring, kind, secret, variable)
    mac = hmac.digest(hkdf(ring_key, ring["id"], b"mac/1"), ring["authenticated"], "sha256")
    if not hmac.compare_digest(mac, ring["mac"]):
        raise Refusal("keyring-tampered", "the MAC")
    if ring["signature"]:
        public, signature, signed = ring["signature"]
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
        except (InvalidSignature, ValueError):
            raise Refusal("keyring-tampered", "the signature") from None
    summary = {
        "purpose": ring["purpose"], "epoch": ring["epoch"], "subject": ring["subject"].hex(),
        "slots": len(ring["slots"]), "opened": slot["name"], "keys": [],
        "publisher": ring["signature"][0].hex() if ring["signature"] else None,
        "format": ring["format"], "former": [former.hex() for former in ring["former"]],
        "files": shown(ring["file"]), "sealed": shown(ring["sealed"]),
    }
    own = summary["own"] = {}
    for key in ring["keys"]:
        entry = {name: key[name] for name in ("kind", "version", "state", "since")}
        if key["wrapped"]:
            material = unwrap(ring, ring_key, key)
            entry["sha256"] = hashlib.sha256(material).hexdigest()
            if key["kind"] == "database" and key["state"] == "active":
                derived = hkdf(material, ring["subject"], b"sqlcipher raw key v1", 48)
                summary["raw"] = hashlib.sha256(derived[:32]).hexdigest()
                summary["salt"] = derived[32:].hex()
            if key["kind"] == "database":
                for file in ring["file"]:
                    if file["own"] and file["key"] == key["version"]:
                        own[file["database"].hex()] = hashlib.sha256(file_key(material, file["database"])).hexdigest()
        summary["keys"].append(entry)
    return summary


def main(arguments):
    if not 2 <= len(arguments) <= 3:
        sys.exit(__doc__)
    with open(arguments[0], "rb") as file:
        text = file.read()
    secret = sys.stdin.buffer.read()
    try:
        if arguments[1] == "x25519":
            secret = parse_identity(secret.decode("ascii").strip())
        print(json.dumps(read(text, *arguments[1:2], secret, *arguments[2:3]), indent=1))
    except Refusal as refusal:
        sys.exit(str(refusal))


if __name__ == "__main__":
    main(sys.argv[1:])
