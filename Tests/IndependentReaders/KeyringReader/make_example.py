"""Makes the examples in Keys/README.md.

    make_example.py FOLDER           writes them between its two markers
    make_example.py --check FOLDER   fails if they are not there
"""

import hashlib
import os
import sys

sys.dont_write_bytecode = True

from keyring_writer import IDENTITY, Ring, b64, hkdf, joined, signature
from read_keyring import file_key, parse_identity, read, scrypt, x25519, x25519_public, xaes_key

BEGIN, END = "<!-- example -->\n", "<!-- end of the example -->\n"


def run(first, count):
    return bytes(range(first, first + count))


RING_ID, DATABASE_ID, RING_KEY = run(0x00, 16), run(0x10, 16), run(0x20, 32)
SECRET, SALT, EPHEMERAL = run(0x40, 32), run(0x60, 16), run(0x70, 32)
FORMER_ID, FILE_ID, CODE = run(0x80, 16), run(0xC0, 16), run(0xE0, 32)
OTHER_ID, REGISTRY_ID, COLUMN_ID = run(0xD0, 16), run(0x30, 16), run(0x50, 16)
FILE_SALT = run(0xF0, 16)
KEY_1, KEY_2, NONCE_1, NONCE_2, SEED = run(0x90, 32), run(0xB0, 32), run(0xD0, 24), run(0xE8, 24), run(1, 32)


def section():
    ring = Ring(RING_ID, RING_KEY)
    identity = parse_identity(IDENTITY)
    recipient = x25519_public(identity)
    laptop = ring.salted_slot("keyfile", "laptop", SECRET, SALT)
    server = ring.x25519_slot("server", recipient, EPHEMERAL)
    share = x25519_public(EPHEMERAL)
    shared = x25519(identity, share)
    lines = [
        "lockstep-keyring/1",
        f"ring {b64(RING_ID)} epoch 3 purpose database database {b64(DATABASE_ID)}",
        *laptop,
        *server,
        ring.key_line("database", 1, "retired", "2026-03-09", KEY_1, NONCE_1),
        ring.key_line("database", 2, "active", "2026-08-23", KEY_2, NONCE_2),
    ]
    lines.append(signature(lines, SEED))
    text = ring.finish(lines)
    for kind, secret in (("keyfile", SECRET), ("x25519", identity)):
        assert read(text, kind, secret)["keys"][1]["sha256"] == hashlib.sha256(KEY_2).hexdigest()

    key_wrap = hkdf(RING_KEY, RING_ID, b"wrap/1")
    raw = hkdf(KEY_2, DATABASE_ID, b"sqlcipher raw key v1", 48)
    values = [
        ("ring id", RING_ID),
        ("database id", DATABASE_ID),
        None,
        ("laptop: key file", SECRET),
        ("laptop: salt", SALT),
        *slot_values("laptop", SECRET, SALT, laptop),
        None,
        ("server: identity", IDENTITY),
        ("server: scalar", identity),
        ("server: recipient", recipient),
        ("server: its SHA-256", hashlib.sha256(recipient).digest()),
        ("server: ephemeral secret", EPHEMERAL),
        ("server: share", share),
        ("server: X25519", shared),
        *slot_values("server", shared, share + recipient, server),
        None,
        ("ring key", RING_KEY),
        ("MAC key", hkdf(RING_KEY, RING_ID, b"mac/1")),
        ("MAC", ring.mac(joined(lines))),
        ("key wrap", key_wrap),
        None,
        ("key 1: nonce", NONCE_1),
        ("key 1: Kx", xaes_key(key_wrap, NONCE_1)),
        ("key 1", KEY_1),
        ("key 1: commitment", hkdf(KEY_1, b"", b"commit")),
        ("key 1: its SHA-256", hashlib.sha256(KEY_1).digest()),
        ("key 2: nonce", NONCE_2),
        ("key 2: Kx", xaes_key(key_wrap, NONCE_2)),
        ("key 2", KEY_2),
        ("key 2: commitment", hkdf(KEY_2, b"", b"commit")),
        ("key 2: its SHA-256", hashlib.sha256(KEY_2).digest()),
        ("key 2: raw key", raw[:32]),
        ("key 2: salt of the file", raw[32:]),
        None,
        ("signature: seed", SEED),
        ("SHA-256 of the file", hashlib.sha256(text).digest()),
    ]
    table = "".join("\n" if row is None else entry(*row) for row in values)
    stretched = entry("scrypt", scrypt("correct horse bättery".encode(), SALT, 14))
    return (
        f"The file, {len(text)} bytes:\n\n```\n{text.decode()}```\n\n"
        f"Values on the way, in hexadecimal:\n\n```\n{table}```\n\n"
        "The output of scrypt with `14 8 1` for the passphrase `correct horse bättery` (22 bytes in\n"
        f"UTF-8) and the salt above:\n\n```\n{stretched}```\n\n"
        + fourth(ring, laptop)
    )


def heads(slot, ring):
    """The lines of a database keyring and of a fields keyring above what they remember."""
    database = [
        "lockstep-keyring/4", f"ring {b64(RING_ID)} epoch 4 purpose database database {b64(DATABASE_ID)}",
        *slot, ring.key_line("database", 2, "active", "2026-08-23", KEY_2, NONCE_2),
    ]
    fields = [
        database[0], f"ring {b64(RING_ID)} epoch 2 purpose fields dataset {b64(DATABASE_ID)}", *slot,
        ring.key_line("field", 1, "active", "2026-08-23", KEY_1, NONCE_1),
        ring.key_line("index", 1, "active", "2026-08-23", KEY_2, NONCE_2),
    ]
    return database, fields


def fourth(ring, slot):
    """The same ring with what it remembers, and a fields keyring of that ring."""
    database, fields = heads(slot, ring)
    database += [
        f"former {b64(FORMER_ID)}",
        f"file {b64(FILE_ID)} key 2 own {b64(FILE_SALT)} seen 3 at ../films.db",
        f"file {b64(OTHER_ID)} key 2 seen 0 at /srv/archive%202026/films.db from {b64(FILE_ID)}",
    ]
    fields += [
        f"sealed {b64(FILE_ID)} seen 1 registry {b64(REGISTRY_ID)} changes 3 {b64(CODE)} lowest 1",
        f"column 2 {b64(COLUMN_ID)} movies.t%C3%AFtre deterministic 0 sealed -",
        "index 1 t%C3%AFtre_exact_token exact 24 1",
        "column 1 - movies.title random 64 sealed row id",
        f"sealed {b64(OTHER_ID)} seen 0 registry - changes 0 - lowest 0",
    ]
    texts = [ring.finish(lines) for lines in (database, fields)]
    first, other = (read(text, "keyfile", SECRET) for text in texts)
    assert first["files"][0]["at"] == b"../films.db".hex() and first["files"][1]["from"] == FILE_ID.hex()
    own = file_key(KEY_2, FILE_ID)
    assert first["own"] == {FILE_ID.hex(): hashlib.sha256(own).hexdigest()}
    assert other["sealed"][0]["columns"][0]["identity"] == COLUMN_ID.hex() and other["sealed"][1]["changes"] == 0
    values = [
        ("former ring", FORMER_ID), ("the database's id", FILE_ID), ("the other's id", OTHER_ID),
        ("the file's salt", FILE_SALT), ("the file's key", own), ("the registry's id", REGISTRY_ID), ("the registry's MAC", CODE), ("the column's id", COLUMN_ID),
    ]
    return (
        "Of format 4, a keyring of the same ring that remembers two databases, the second a fork of the first under a "
        "key\nthat it shares, and a fields keyring of the dataset, with key 1 as its field key and key 2 as its index "
        f"key, of\n{len(texts[0])} and {len(texts[1])} bytes:\n\n" + blocks(ring, texts, values, [database, fields])
    )


def blocks(ring, texts, values, lines):
    return (
        "".join(f"```\n{text.decode()}```\n\n" for text in texts)
        + "```\n" + "".join(entry(*value) for value in values)
        + "".join(entry(f"MAC of the {name}", ring.mac(joined(part)))
                  for name, part in zip(("first", "second"), lines)) + "```\n"
    )


def slot_values(name, secret, salt, lines):
    derived = hkdf(secret, salt, b"slot/1" + RING_ID + lines[0].encode(), 64)
    return [(f"{name}: wrap", derived[:32]), (f"{name}: c", derived[32:])]


def entry(name, value):
    return f"{name:<25}= {value if isinstance(value, str) else value.hex()}\n"


def main(arguments):
    for name, make in (("README.md", section),):
        path = os.path.join(arguments[-1], name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        before, _, rest = text.partition(BEGIN)
        standing, _, after = rest.partition(END)
        made = "\n" + make() + "\n"
        if arguments[0] != "--check":
            with open(path, "w", encoding="utf-8") as file:
                file.write(before + BEGIN + made + END + after)
        elif standing != made:
            sys.exit(f"the example of {name} is another: run make_example.py")


if __name__ == "__main__":
    main(sys.argv[1:])
