"""Sound keyrings, and ones that follow the grammar but prove nothing."""

import base64

from keyring_writer import b64, fixed, joined, signature
from malformed_base import (
    FIELDS, FULL, HEAD, KEYS, OTHER_RING, RING, SEED, SLOTS, SMALL, TAMPERED, Defect, alone, key,
    key_file_slot, mac_line, replaced, signed, text_of, with_slot,
)


def whole_defects():
    yield from sound()
    yield from macs()
    yield from wrapped_keys()
    yield from signatures()


def sound():
    def opens(name, lines, what, **more):
        return Defect("sound-" + name, text_of(lines), "opens", what, **more)

    yield opens("small", SMALL, "one slot and two keys")
    yield opens("fields", FIELDS, "a fields keyring")
    yield opens("issued", FIELDS[:6], "a fields keyring without any manifest key")
    yield opens("issued-signed", signed(FIELDS[:6]), "the same, signed")
    yield opens("full", signed(FULL), "slots of every type, keys in every state, signed")
    yield opens("signed", signed(), "signed")
    for kind, since in [("scrypt", ""), ("env", ""), ("command", "command"), ("x25519", "x25519")]:
        yield opens(kind, alone(kind), f"one {kind} slot", opened_with=kind, since=since)
    for kind in ("scrypt", "env", "command", "x25519", "other"):
        yield opens(f"beside-{kind}", with_slot(kind), f"a {kind} slot stands beside the one that opens")
    yield opens("greatest-epoch", replaced(SMALL, 1, 3, "9223372036854775807"), "the greatest epoch")
    yield opens("greatest-version", SMALL + [key("database", 2**32 - 1, "pending")], "the greatest version")
    many = [line for number in range(63) for line in key_file_slot(f"laptop-{number}")]
    yield opens("64-slots", HEAD + SLOTS["keyfile"] + many + KEYS, "64 slots")
    yield opens("two-credentials", HEAD + key_file_slot("theirs", OTHER_RING) + SLOTS["keyfile"] + KEYS,
                "the first slot does not open, the second does")


def macs():
    good = mac_line(SMALL)

    def tampered(name, lines, what, mac=good, **more):
        return Defect(name, joined(lines + [mac]), TAMPERED, what, **more)

    mac = RING.mac(joined(SMALL))
    for name, changed in [
        ("zero", bytes(32)), ("first-bit", bytes([mac[0] ^ 0x80]) + mac[1:]),
        ("last-bit", mac[:-1] + bytes([mac[-1] ^ 1])), ("reversed", mac[::-1]),
        ("of-another-ring", OTHER_RING.mac(joined(SMALL))),
    ]:
        yield tampered(f"mac-{name}", SMALL, "the MAC is another", f"--- {b64(changed)}")
    yield tampered("mac-of-another-text", SMALL, "the MAC is another text's", mac_line(FIELDS))
    yield tampered("mac-without-last-lf", SMALL, "the MAC does not cover the last LF",
                   f"--- {b64(RING.mac(joined(SMALL)[:-1]))}")
    yield tampered("mac-epoch-raised", replaced(SMALL, 1, 3, "8"), "the epoch was raised")
    yield tampered(
        "mac-subject-changed", replaced(SMALL, 1, 7, b64(fixed("other", 16))), "the subject is another"
    )
    yield tampered("mac-keys-exchanged", SMALL[:4] + KEYS[::-1], "two keys' lines were exchanged")
    yield tampered("mac-key-removed", SMALL[:4] + KEYS[1:], "a key was removed")
    yield tampered("mac-key-added", SMALL + [key("database", 3, "pending")], "a key was added")
    yield tampered("mac-date-changed", replaced(SMALL, 4, 4, "2026-03-10"), "a key's date was changed")
    yield tampered("mac-state-changed", replaced(SMALL, 4, 3, "compromised"), "a key's state was changed")
    yield tampered("mac-slot-added", with_slot("env"), "a slot was added")
    two = with_slot("env")
    yield tampered("mac-slot-removed", SMALL, "a slot was removed", mac_line(two))
    yield tampered("mac-slots-exchanged", HEAD + two[4:6] + two[2:4] + KEYS, "two slots were exchanged",
                   mac_line(two))
    yield tampered("mac-slot-edited", with_slot("env", header=two[4].replace("server", "sorver")),
                   "another slot was renamed", mac_line(two))
    unknown = with_slot("other")
    yield tampered("mac-unknown-slot-edited", with_slot("other", body=b64(fixed("chop", 120))),
                   "a slot of an unknown type was edited", mac_line(unknown))
    yield tampered("mac-signature-stripped", SMALL, "the signature was stripped", mac_line(signed()))
    yield tampered("mac-signature-added", signed(), "a signature was added")


def wrapped_keys():
    """Under a MAC that verifies: what someone who holds a slot could write."""

    def tampered(name, lines, what):
        return Defect(f"wrapped-{name}", text_of(lines), TAMPERED, what)

    one, two = KEYS[0].split(" "), KEYS[1].split(" ")
    yield tampered("exchanged", replaced(replaced(SMALL, 4, 6, two[6]), 5, 6, one[6]),
                   "two keys have each other's material")
    yield tampered("commitment-exchanged", replaced(SMALL, 5, 5, one[5]), "a key has another's commitment")
    forged = RING.key_line(
        "database", 2, "active", "2026-03-09", fixed("material"), bytes(24), fixed("commitment"))
    yield tampered("commitment-forged", SMALL[:5] + [forged], "a key unwraps, to another than is committed to")
    yield tampered("version-changed", replaced(SMALL, 4, 2, "9"), "a key's version was changed")
    yield tampered("state-changed", replaced(SMALL, 4, 3, "pending"), "a key's state was changed")
    yield tampered("date-changed", replaced(SMALL, 4, 4, "2026-03-10"), "a key's date was changed")
    foreign = key("database", 2, "active", OTHER_RING)
    yield tampered("of-another-ring", SMALL[:5] + [foreign], "a key is wrapped under another ring")
    for name, position in [("nonce", 0), ("nonce-end", 23), ("ciphertext", 24), ("tag", 71)]:
        data = bytearray(72)
        data[position] = 0x01
        flipped = bytes(a ^ b for a, b in zip(base64.b64decode(two[6]), data))
        yield tampered(
            f"{name}-flipped", replaced(SMALL, 5, 6, b64(flipped)), f"a bit of byte {position} is flipped"
        )


def signatures():
    """Under a MAC that verifies, with a signature that does not."""

    def forged(name, line, what):
        return Defect(f"sig-{name}", text_of(SMALL + [line]), TAMPERED, what, since="signature")

    good = signature(SMALL, SEED).split(" ")
    other = signature(SMALL, fixed("another publisher")).split(" ")
    yield forged(
        "of-another-publisher", " ".join(good[:3] + other[3:]), "the signature is another publisher's"
    )
    yield forged("of-another-key", " ".join(good[:2] + other[2:3] + good[3:]), "the public key is another's")
    yield forged("of-another-text", signature(FIELDS, SEED), "the signature is another text's")
    yield forged("of-older-epoch", signature(replaced(SMALL, 1, 3, "6"), SEED), "the epoch was signed as 6")
    yield forged("zero", f"sig ed25519 {good[2]} {b64(bytes(64))}", "the signature is zero")
    yield forged("all-zero", f"sig ed25519 {b64(bytes(32))} {b64(bytes(64))}", "key and signature are zero")
    yield forged(
        "no-point", f"sig ed25519 {b64(bytes([2]) + bytes(31))} {good[3]}", "the public key is no point"
    )
