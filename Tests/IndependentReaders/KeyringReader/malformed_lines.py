"""Defects of lines: the format's name, the ring's, keys', signature's and MAC's."""

from keyring_writer import b64, fixed, joined
from malformed_base import (
    FIELDS, HEAD, KEYS, MALFORMED, SMALL, UNSUPPORTED, Defect, key, mac_line, replaced, signed, text_of,
    with_slot,
)


def line_defects():
    yield from spacing()
    yield from magic_and_ring()
    yield from keys()
    yield from kinds_and_states()
    yield from signatures()


def malformed(name, lines, what, expected=MALFORMED):
    return Defect(name, text_of(lines), expected, what)


def spacing():
    """Every wrong way to separate fields, in every line that has fields."""
    for name, lines, line in [
        ("ring", SMALL, 1), ("keyfile", SMALL, 2), ("scrypt", with_slot("scrypt"), 4),
        ("env", with_slot("env"), 4), ("other", with_slot("other"), 4), ("key", SMALL, 4),
        ("sig", signed(), 6), ("mac", SMALL + [mac_line(SMALL)], 6),
    ]:
        good = lines[line]
        last = good.rindex(" ")
        spoilt = [
            ("tab", good[:last] + "\t" + good[last + 1 :], "a tab stands in place of a space"),
            ("double-space", good[:last] + " " + good[last:], "two spaces part two fields"),
            ("trailing-space", good + " ", "a space follows the last field"),
            ("leading-space", " " + good, "a space stands in front of the first field"),
        ]
        if name != "other":
            spoilt.append(("a-field-less", good[:last], "the last field is missing"))
            spoilt.append(("a-field-more", good + " AA", "there is a field too many"))
        for defect, text, what in spoilt:
            changed = lines[:line] + [text] + lines[line + 1 :]
            whole = joined(changed) if name == "mac" else text_of(changed)
            yield Defect(f"{name}-{defect}", whole, MALFORMED, f"{name}: {what}")


def magic_and_ring():
    for name, text, expected in [
        ("next-format", "lockstep-keyring/5", UNSUPPORTED), ("format-2", "lockstep-keyring/2", UNSUPPORTED),
        ("format-3", "lockstep-keyring/3", UNSUPPORTED), ("format-01", "lockstep-keyring/01", UNSUPPORTED),
        ("format-02", "lockstep-keyring/02", UNSUPPORTED), ("format-10", "lockstep-keyring/10", UNSUPPORTED),
        ("no-number", "lockstep-keyring/", UNSUPPORTED), ("trailing-space", "lockstep-keyring/1 ", UNSUPPORTED),
        ("no-slash", "lockstep-keyring", MALFORMED),
        ("leading-space", " lockstep-keyring/1", MALFORMED), ("upper-case", "LOCKSTEP-KEYRING/1", MALFORMED),
        ("foreign", "age-encryption.org/v1", MALFORMED),
    ]:
        yield malformed(f"magic-{name}", [text] + SMALL[1:], f"the first line is “{text}”", expected)
    yield malformed("magic-missing", SMALL[1:], "the first line is missing")
    yield malformed("magic-twice", SMALL[:1] + SMALL, "the first line stands twice")
    yield malformed("ring-missing", SMALL[:1] + SMALL[2:], "the ring's line is missing")
    yield malformed("ring-twice", SMALL[:2] + SMALL[1:], "the ring's line stands twice")
    yield malformed("ring-first", [SMALL[1], SMALL[0]] + SMALL[2:], "the ring's line comes first")
    yield malformed("ring-last", SMALL[:1] + SMALL[2:] + SMALL[1:2], "the ring's line comes last")
    for field, text in [
        (0, "Ring"), (0, "rings"), (2, "Epoch"), (2, "version"), (4, "Purpose"), (5, "Database"),
        (5, "backup"), (5, "fields"), (6, "dataset"), (6, "Database"),
    ]:
        good = SMALL[1].split(" ")[field]
        yield malformed(
            f"ring-field-{field}-{text}", replaced(SMALL, 1, field, text), f"the ring has {text} for {good}")
    for name, text in [
        ("zero", "0"), ("leading-zero", "07"), ("plus", "+7"), ("minus", "-7"), ("point", "7.0"),
        ("hexadecimal", "0x7"), ("grouped", "7_000"), ("too-great", "9223372036854775808"),
        ("64-bits", "18446744073709551616"), ("word", "seven"),
    ]:
        yield malformed(f"epoch-{name}", replaced(SMALL, 1, 3, text), f"the epoch is {text}")


def keys():
    yield malformed("keys-missing", SMALL[:4], "there is no key")
    yield malformed("keys-before-slots", HEAD + KEYS + SMALL[2:4], "keys stand in front of the slots")
    yield malformed("key-between-slots", with_slot("env")[:4] + KEYS[:1] + with_slot("env")[4:6] + KEYS[1:],
                    "a key stands between two slots")
    yield malformed("key-twice", SMALL + KEYS[:1], "a key stands twice")
    yield malformed("key-version-twice", SMALL + [key("database", 2, "pending")], "a version stands twice")
    for name, text in [
        ("zero", "0"), ("leading-zero", "01"), ("plus", "+1"), ("minus", "-1"), ("too-great", "4294967296"),
        ("64-bits", "18446744073709551617"), ("word", "one"), ("point", "1."),
    ]:
        yield malformed(f"version-{name}", replaced(SMALL, 4, 2, text), f"a key's version is {text}")
    for name, text in [
        ("february-30", "2026-02-30"), ("february-29", "2025-02-29"), ("century", "1900-02-29"),
        ("june-31", "2026-06-31"), ("month-13", "2026-13-01"), ("month-0", "2026-00-01"),
        ("day-0", "2026-03-00"), ("one-digit", "2026-3-09"), ("two-digit-year", "26-03-09"),
        ("year-10000", "10000-01-01"), ("slashes", "2026/03/09"), ("reversed", "09-03-2026"),
        ("compact", "20260309"), ("time", "2026-03-09T00:00:00Z"), ("word", "today"), ("sign", "-026-03-09"),
    ]:
        yield malformed(f"date-{name}", replaced(SMALL, 4, 4, text), f"a key's date is {text}")


def kinds_and_states():
    for text in ("master", "Database", "field", "index", "manifest", "databases"):
        yield malformed(f"kind-{text}", replaced(SMALL, 4, 1, text), f"a database keyring holds a {text} key")
    yield malformed("kind-database-in-fields", FIELDS + [key("database", 1, "retired")],
                    "a fields keyring holds a database key")
    yield malformed("key-line-upper-case", replaced(SMALL, 4, 0, "Key"), "a key's line begins with Key")
    for text in ("Retired", "RETIRED", "expired", "revoked", "deleted", "-"):
        yield malformed(f"state-{text}", replaced(SMALL, 4, 3, text), f"a key's state is {text}")
    yield malformed("active-twice", SMALL + [key("database", 3, "active")], "two keys are active")
    yield malformed("active-missing", SMALL[:5], "no key is active")
    yield malformed("active-pending-only", SMALL[:4] + [key("database", 1, "pending")], "the key is pending")
    for line, kind in [(4, "field"), (5, "index"), (6, "manifest")]:
        # Without any manifest key it is an issued keyring, and sound.
        rest = [key("manifest", 1, "retired")] if kind == "manifest" else []
        what = "the only manifest key is retired" if rest else f"there is no {kind} key"
        yield malformed(f"active-missing-{kind}", FIELDS[:line] + rest + FIELDS[line + 1 :], what)
        yield malformed(
            f"active-twice-{kind}", FIELDS + [key(kind, 2, "active")], f"two {kind} keys are active"
        )
    yield malformed("destroyed-with-material", replaced(SMALL, 4, 3, "destroyed"),
                    "a destroyed key has material")
    for state in ("active", "retired", "pending", "compromised"):
        lines = SMALL if state == "active" else SMALL[:4] + [key("database", 1, state)] + SMALL[5:]
        line = 5 if state == "active" else 4
        yield malformed(
            f"no-material-{state}", replaced(lines, line, 6, "-"), f"a key that is {state} has none"
        )
    destroyed = SMALL[:4] + [key("database", 1, "destroyed")] + SMALL[5:]
    yield malformed("destroyed-no-dash", replaced(destroyed, 4, 6, ""), "nothing stands for the material")
    yield malformed(
        "destroyed-two-dashes", replaced(destroyed, 4, 6, "--"), "two dashes stand for the material"
    )
    yield malformed("destroyed-no-commitment", replaced(destroyed, 4, 5, "-"),
                    "a destroyed key has no commitment")


def signatures():
    lines = signed()
    yield malformed("sig-twice", lines + lines[-1:], "the signature stands twice")
    yield malformed(
        "sig-before-keys", lines[:4] + lines[-1:] + lines[4:-1], "the signature precedes the keys"
    )
    yield malformed(
        "sig-before-slots", lines[:2] + lines[-1:] + lines[2:-1], "the signature precedes the slots"
    )
    yield malformed(
        "sig-before-last-key", lines[:5] + lines[-1:] + lines[5:-1], "a key follows the signature"
    )
    for text in ("Ed25519", "ed448", "rsa", "ED25519"):
        yield malformed(f"sig-algorithm-{text}", replaced(lines, 6, 1, text), f"the signature is by {text}")
    yield malformed("sig-upper-case", replaced(lines, 6, 0, "Sig"), "the signature's line begins with Sig")
    yield malformed("sig-exchanged", replaced(replaced(lines, 6, 2, lines[6].split(" ")[3]), 6, 3,
                    lines[6].split(" ")[2]), "public key and signature are exchanged")
    mac = mac_line(SMALL)
    above = joined(SMALL).decode()
    for name, text in [("four-dashes", "-" + mac), ("two-dashes", mac[1:]),
                       ("no-space", mac.replace(" ", "")),
                       ("word", mac.replace("---", "mac"))]:
        yield Defect(
            f"mac-{name}", (above + text + "\n").encode(), MALFORMED, "the MAC's line begins otherwise"
        )
    short = b64(fixed("mac", 16))
    yield Defect("mac-truncated", f"{above}--- {short}\n".encode(), MALFORMED, "the MAC is 16 bytes")
    yield Defect("mac-empty", f"{above}--- \n".encode(), MALFORMED, "the MAC is empty")
