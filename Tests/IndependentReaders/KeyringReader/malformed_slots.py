"""Defects of slots: their lines, costs and names, and slots that do not open."""

import base64

from keyring_writer import b64, fixed
from malformed_base import (
    COMMAND, ENVIRONMENT, HEAD, KEYS, MALFORMED, NO_SLOT, NOT_OPENED, OTHER_RING, RECIPIENT, RING,
    SLOTS, SMALL, UNSUPPORTED, Defect, alone, key_file_slot, replaced, text_of, with_slot,
)
from read_keyring import x25519, x25519_public


def slot_defects():
    yield from shapes()
    yield from names()
    yield from costs()
    yield from unopened()
    yield from low_order_points()


def malformed(name, lines, what, expected=MALFORMED, **more):
    return Defect(name, text_of(lines), expected, what, **more)


def shapes():
    yield malformed("slots-missing", HEAD + KEYS, "there is no slot")
    many = [line for number in range(64) for line in key_file_slot(f"laptop-{number}")]
    yield malformed("slots-64-and-one", HEAD + SLOTS["keyfile"] + many + KEYS, "there are 65 slots")
    yield malformed("slot-twice", SMALL[:4] + SMALL[2:4] + KEYS, "a slot stands twice")
    other = SLOTS["env"][0].replace(" server ", " laptop ")
    yield malformed("slot-name-twice", with_slot("env", header=other), "slots of two types have one name")
    unknown = SLOTS["other"][0].replace(" chip ", " laptop ")
    yield malformed("slot-name-twice-unknown", with_slot("other", header=unknown),
                    "a slot of an unknown type has another's name")
    yield malformed("slot-after-keys", HEAD + KEYS[:1] + SMALL[2:4] + KEYS[1:], "a slot follows a key")
    yield malformed("slot-last", SMALL + SLOTS["env"], "a slot follows all keys")
    yield malformed("body-missing", SMALL[:3] + KEYS, "a slot has no body")
    yield malformed("body-missing-before-slot", SMALL[:3] + SLOTS["env"] + KEYS, "a header follows a header")
    yield malformed("body-twice", SMALL[:4] + SMALL[3:], "a slot has two bodies")
    yield malformed("body-of-two-lines", SMALL[:3] + [SMALL[3][:64], SMALL[3][64:]] + KEYS,
                    "a body is wrapped at 64 characters")
    yield malformed("body-empty", SMALL[:3] + [""] + KEYS, "a body is an empty line")
    yield malformed("body-with-space", SMALL[:3] + [SMALL[3][:64] + " " + SMALL[3][64:]] + KEYS,
                    "a space stands in a body")
    yield malformed("other-body-empty", with_slot("other", body=""), "the body of an unknown type is empty")
    yield malformed("header-missing", SMALL[:2] + SMALL[3:], "a body has no header")
    for name, text in [
        ("no-space", SMALL[2].replace("-> ", "->")), ("no-type", "-> laptop"), ("arrow-only", "->"),
        ("arrow-and-space", "-> "), ("reversed", SMALL[2].replace("->", "<-")),
        ("double-arrow", SMALL[2].replace("->", "-->")), ("type-and-name", "-> keyfile laptop"),
    ]:
        yield malformed(f"header-{name}", SMALL[:2] + [text] + SMALL[3:], f"a slot's header is “{text[:24]}”")
    for kind, since in (("command", "command"), ("x25519", "x25519")):
        header = SLOTS[kind][0]
        yield malformed(f"{kind}-a-field-less", with_slot(kind, header=header[: header.rindex(" ")]),
                        f"a {kind} slot lacks its last field", since=since)
        yield malformed(f"{kind}-a-field-more", with_slot(kind, header=header + " AA"),
                        f"a {kind} slot has a field too many", since=since)
        yield malformed(f"{kind}-name-only", with_slot(kind, header=" ".join(header.split(" ")[:3])),
                        f"a {kind} slot has nothing but a name", since=since)
        yield malformed(f"{kind}-double-space", with_slot(kind, header=header.replace(" ", "  ")),
                        f"two spaces part the fields of a {kind} slot")
        yield malformed(f"{kind}-tab", with_slot(kind, header=header.replace(" ", "\t")),
                        f"tabs part the fields of a {kind} slot")
    named = SLOTS["command"][0].replace(" vault ", " vault printenv ")
    yield malformed("command-names-a-program", with_slot("command", header=named),
                    "a command slot says what to run", since="command")


def names():
    for name, text in [
        ("upper-case", "Laptop"), ("underscore", "lap_top"), ("point", "lap.top"), ("slash", "lap/top"),
        ("33-characters", "l" * 33), ("colon", "lap:top"), ("percent", "lap%s"), ("dash-and-point", "-."),
    ]:
        yield malformed(f"name-{name}", replaced(SMALL, 2, 2, text), f"a slot is named {text}")
    for name, text in [
        ("upper-case", "KeyFile"), ("underscore", "key_file"), ("33-characters", "k" * 33), ("point", "."),
    ]:
        yield malformed(f"type-{name}", replaced(SMALL, 2, 1, text), f"a slot's type is {text}")
    for name, text in [
        ("digit-first", "1LOCKSTEP"), ("dash", "LOCKSTEP-RING"), ("equals", "LOCKSTEP=RING"),
        ("dollar", "$RING"),
        ("129-characters", "L" * 129), ("point", "LOCKSTEP.RING"), ("empty", ""),
    ]:
        yield malformed(
            f"variable-{name}", replaced(with_slot("env"), 4, 3, text), f"a variable is {text[:20]}"
        )


def costs():
    base = with_slot("scrypt")
    for name, cost, expected in [
        ("n-lowered", "13 8 1", UNSUPPORTED), ("n-one", "0 8 1", UNSUPPORTED),
        ("n-two", "1 8 1", UNSUPPORTED),
        ("n-raised", "21 8 1", UNSUPPORTED), ("n-overflowing", "63 8 1", UNSUPPORTED),
        ("n-64", "64 8 1", MALFORMED), ("n-itself", "16384 8 1", MALFORMED),
        ("n-leading-zero", "014 8 1", MALFORMED),
        ("n-minus", "-14 8 1", MALFORMED), ("n-plus", "+14 8 1", MALFORMED),
        ("r-lowered", "14 1 1", UNSUPPORTED), ("r-zero", "14 0 1", UNSUPPORTED),
        ("r-raised", "14 9 1", UNSUPPORTED),
        ("r-32-bits", "14 4294967295 1", UNSUPPORTED), ("r-33-bits", "14 4294967296 1", MALFORMED),
        ("r-leading-zero", "14 08 1", MALFORMED), ("p-zero", "14 8 0", UNSUPPORTED),
        ("p-two", "14 8 2", UNSUPPORTED),
        ("p-32-bits", "14 8 4294967295", UNSUPPORTED), ("p-33-bits", "14 8 4294967296", MALFORMED),
        ("p-leading-zero", "14 8 01", MALFORMED), ("exchanged", "8 14 1", UNSUPPORTED),
    ]:
        header = base[4].replace(" 14 8 1", " " + cost)
        yield malformed(
            f"scrypt-{name}", with_slot("scrypt", header=header), f"scrypt's cost is {cost}", expected
        )
    dear = []
    for number in range(9):
        dear += [f"-> scrypt person-{number} {b64(fixed('dear', 16))} 20 8 1", b64(fixed("dear body", 80))]
    yield malformed("scrypt-dear-together", HEAD + SMALL[2:4] + dear + KEYS,
                    "nine slots of 2^20 together cost too much", UNSUPPORTED)


def unopened():
    """Slots that a correct secret does not open, though all of the text is under its MAC."""
    foreign = key_file_slot("laptop", OTHER_RING)
    yield malformed("slot-of-another-ring", HEAD + foreign + KEYS, "the slot is another ring's", NOT_OPENED)
    renamed = [SMALL[2].replace("laptop", "tablet"), SMALL[3]]
    yield malformed("slot-renamed", HEAD + renamed + KEYS, "the slot was renamed", NOT_OPENED)
    salted = replaced(SMALL, 2, 3, b64(fixed("another salt", 16)))
    yield malformed("slot-salted-anew", salted, "the slot's salt is another", NOT_OPENED)
    ring = replaced(SMALL, 1, 1, b64(fixed("another ring id", 16)))
    yield malformed("ring-id-changed", ring, "the ring's id is another than the slot's", NOT_OPENED)
    one, two = key_file_slot("one"), key_file_slot("two")
    yield malformed("slot-bodies-exchanged", HEAD + [one[0], two[1], two[0], one[1]] + KEYS,
                    "two slots have each other's body", NOT_OPENED)
    for name, position in [("commitment", 0), ("commitment-end", 31), ("ciphertext", 32), ("tag", 79)]:
        changed = bytearray(base64.b64decode(SMALL[3] + "="))
        changed[position] ^= 0x80
        yield malformed(f"slot-{name}-flipped", SMALL[:3] + [b64(changed)] + KEYS,
                        f"one bit of the body is flipped, in byte {position}", NOT_OPENED)
    dearer = [SLOTS["scrypt"][0].replace(" 14 8 1", " 15 8 1"), SLOTS["scrypt"][1]]
    yield malformed("scrypt-n-edited", HEAD + dearer + KEYS, "N was raised within what is read", NOT_OPENED,
                    opened_with="scrypt")
    variable = RING.salted_slot("env", "server", ENVIRONMENT, fixed("salt server", 16), "LOCKSTEP_OTHER")
    edited = [variable[0].replace("LOCKSTEP_OTHER", "LOCKSTEP_RING"), variable[1]]
    yield malformed("env-variable-edited", HEAD + edited + KEYS, "the variable was edited", NOT_OPENED,
                    opened_with="env")
    taken = RING.salted_slot("keyfile", "vault", COMMAND, fixed("salt vault", 16))
    edited = [taken[0].replace("keyfile", "command"), taken[1]]
    yield malformed("command-was-key-file", HEAD + edited + KEYS, "a key-file slot was made a command slot",
                    NOT_OPENED, opened_with="command", since="command")
    yield malformed("slot-type-edited", replaced(SMALL, 2, 1, "keyfil"), "the slot's type is an unknown one",
                    NO_SLOT)
    yield malformed("slot-unknown-only", alone("other"), "the only slot is of an unknown type", NO_SLOT)
    tagged = replaced(alone("x25519"), 2, 4, b64(fixed("tag", 8)))
    yield malformed("x25519-tag-edited", tagged, "the tag is nobody's", NOT_OPENED,
                    opened_with="x25519", since="x25519")
    share, secret = x25519_public(fixed("ephemeral")), x25519(fixed("ephemeral"), RECIPIENT)
    wrongly = RING.x25519_slot_with("customer", RECIPIENT, share, secret, fixed("tag", 8))
    yield malformed("x25519-tag-of-nobody", HEAD + wrongly + KEYS, "made with a tag that is nobody's",
                    NOT_OPENED, opened_with="x25519", since="x25519")
    shared = replaced(alone("x25519"), 2, 3, b64(fixed("share")))
    yield malformed("x25519-share-edited", shared, "the share is another", NOT_OPENED,
                    opened_with="x25519", since="x25519")


def low_order_points():
    """Shares that make any identity's slot secret zero; the bodies are sealed under just that."""
    prime = 2**255 - 19
    eighth = 325606250916557431795983626356110631294008115727848805560023387167927233504
    other_eighth = 39382357235489614581723060781553021112529911719440698176882885853963445705823
    for name, number in [
        ("0", 0), ("1", 1), ("eighth", eighth), ("other-eighth", other_eighth), ("p-minus-1", prime - 1),
        ("p", prime), ("p-plus-1", prime + 1), ("0-high-bit", 1 << 255), ("1-high-bit", 1 + (1 << 255)),
        ("p-high-bit", prime + (1 << 255)),
    ]:
        slot = RING.x25519_slot_with("customer", RECIPIENT, number.to_bytes(32, "little"), bytes(32))
        yield malformed(f"x25519-low-order-{name}", HEAD + slot + KEYS, "the share is a point of low order",
                        NOT_OPENED, opened_with="x25519", since="x25519")
