"""The sound keyrings that the defective ones are made of."""

import dataclasses

from keyring_writer import IDENTITY, Ring, b64, fixed, joined, signature
from read_keyring import parse_identity, x25519_public

RING = Ring(fixed("ring id", 16), fixed("ring key"))
OTHER_RING = Ring(fixed("other ring id", 16), fixed("other ring key"))
SUBJECT = fixed("subject", 16)
SEED = fixed("publisher")
RECIPIENT = x25519_public(parse_identity(IDENTITY))
KEY_FILE, ENVIRONMENT, COMMAND = b"\xa5" * 32, b"\x5a" * 32, b"\xc3" * 32
FILE_KEY = b"\x3c" * 16
STANZA = f"{b64(fixed('stanza', 32))} lstest-test AAAA {b64(fixed('nonce', 16))}"
PASSPHRASE = "a passphrase".encode()
MALFORMED, UNSUPPORTED = "keyring-malformed", "keyring-unsupported"
TAMPERED, NOT_OPENED, NO_SLOT = "keyring-tampered", "slot-not-opened", "no-usable-slot"


@dataclasses.dataclass
class Defect:
    name: str
    text: bytes
    expected: str
    what: str
    opened_with: str = "keyfile"
    since: str = ""


def ring_line(ring=RING, purpose="database", word="database"):
    return f"ring {b64(ring.id)} epoch 7 purpose {purpose} {word} {b64(SUBJECT)}"


def key(kind, version, state, ring=RING):
    label = f"{kind} {version}"
    return ring.key_line(kind, version, state, "2026-03-09", fixed(label), fixed("nonce " + label, 24))


def key_file_slot(name="laptop", ring=RING):
    return ring.salted_slot("keyfile", name, KEY_FILE, fixed("salt " + name, 16))


SLOTS = {
    "keyfile": key_file_slot(),
    "scrypt": RING.salted_slot("scrypt", "person", PASSPHRASE, fixed("salt person", 16)),
    "env": RING.salted_slot("env", "server", ENVIRONMENT, fixed("salt server", 16), "LOCKSTEP_RING"),
    "command": RING.salted_slot("command", "vault", COMMAND, fixed("salt vault", 16)),
    "x25519": RING.x25519_slot("customer", RECIPIENT, fixed("ephemeral")),
    "plugin": RING.plugin_slot("touch", "lstest", FILE_KEY, fixed("salt touch", 16), STANZA),
    "other": ["-> tpm2 chip handle 81000001", b64(fixed("chip", 120))],
}
HEAD = ["lockstep-keyring/1", ring_line()]
KEYS = [key("database", 1, "retired"), key("database", 2, "active")]
FIELD_KEYS = [key("field", 1, "active"), key("index", 1, "active"), key("manifest", 1, "active")]
# 0 magic, 1 ring, 2 and 3 slot, 4 key 1 (retired), 5 key 2 (active).
SMALL = HEAD + SLOTS["keyfile"] + KEYS
FIELDS = [HEAD[0], ring_line(RING, "fields", "dataset")] + SLOTS["keyfile"] + FIELD_KEYS
FULL = (
    HEAD
    + [line for kind, slot in SLOTS.items() if kind != "plugin" for line in slot]
    + [key("database", 1, "destroyed"), key("database", 2, "compromised"), key("database", 3, "retired")]
    + [key("database", 5, "active"), key("database", 6, "pending")]
)


def with_slot(kind, header=None, body=None):
    """The small keyring with one more slot in front of its keys."""
    lines = SLOTS[kind]
    return HEAD + SLOTS["keyfile"] + [header or lines[0], lines[1] if body is None else body] + KEYS


def alone(kind):
    """The small keyring with its slot replaced by another."""
    return HEAD + SLOTS[kind] + KEYS


def signed(lines=None):
    lines = SMALL if lines is None else lines
    return lines + [signature(lines, SEED)]


def replaced(lines, line, field, text):
    """The lines with one field of one line changed."""
    fields = lines[line].split(" ")
    assert fields[field] != text
    fields[field] = text
    return lines[:line] + [" ".join(fields)] + lines[line + 1 :]


def text_of(lines):
    return RING.finish(lines)


def mac_line(lines):
    return text_of(lines)[len(joined(lines)) : -1].decode()
