"""Defects of the file's bytes, and of every field that holds bytes."""

import base64

from keyring_writer import b64, joined
from malformed_base import (
    MALFORMED, RING, SMALL, UNSUPPORTED, Defect, mac_line, replaced, signed, text_of, with_slot,
)


def byte_defects():
    sound = text_of(SMALL)
    lines = sound.split(b"\n")

    def bytes_defect(name, text, what, expected=MALFORMED):
        return Defect("bytes-" + name, text, expected, what)

    yield bytes_defect("none", b"", "an empty file")
    yield bytes_defect("magic-only", b"lockstep-keyring/1\n", "only the format's name")
    yield bytes_defect("magic-without-lf", b"lockstep-keyring/1", "only the format's name, without LF")
    yield bytes_defect("lf-only", b"\n", "one empty line")
    yield bytes_defect("crlf", sound.replace(b"\n", b"\r\n"), "every line ends with CRLF")
    yield bytes_defect("crlf-once", sound.replace(b"\n", b"\r\n", 1), "the first line ends with CRLF")
    yield bytes_defect("crlf-last", sound[:-1] + b"\r\n", "the last line ends with CRLF")
    yield bytes_defect("cr", sound.replace(b"\n", b"\r"), "every line ends with CR")
    yield bytes_defect("bom", b"\xef\xbb\xbf" + sound, "a byte order mark stands in front")
    yield bytes_defect("utf-16", sound.decode().encode("utf-16"), "the text is UTF-16")
    yield bytes_defect("nul-last", sound + b"\0", "a NUL follows")
    yield bytes_defect("nul-first", b"\0" + sound, "a NUL stands in front")
    yield bytes_defect("nul-before-last-lf", sound[:-1] + b"\0\n", "a NUL stands in front of the last LF")
    for name, byte in [
        ("nul", b"\0"), ("delete", b"\x7f"), ("form-feed", b"\x0c"), ("escape", b"\x1b"), ("80", b"\x80"),
        ("ff", b"\xff"), ("umlaut", "ä".encode()), ("no-break-space", "\u00a0".encode()),
        ("line-separator", "\u2028".encode()), ("full-width-digit", "１".encode()),
    ]:
        changed = [line.encode() for line in SMALL]
        changed[2] = changed[2].replace(b"laptop", b"lap" + byte + b"top")
        above = b"".join(line + b"\n" for line in changed)
        text = above + f"--- {b64(RING.mac(above))}\n".encode()
        yield bytes_defect(f"{name}-in-a-name", text, "a slot's name holds the byte or character")
    yield bytes_defect("no-last-lf", sound[:-1], "the last LF is missing")
    yield bytes_defect("two-last-lf", sound + b"\n", "an empty line follows")
    yield bytes_defect("first-lf", b"\n" + sound, "an empty line stands in front")
    yield bytes_defect("trailing-text", sound + b"x\n", "a line follows the MAC")
    yield bytes_defect("trailing-space", sound[:-1] + b" \n", "a space follows the MAC")
    yield bytes_defect("twice", sound + sound, "the whole text stands twice")
    yield bytes_defect("mac-twice", sound + lines[-2] + b"\n", "the MAC's line stands twice")
    yield bytes_defect("no-mac", joined(SMALL), "the MAC's line is missing")
    one_line = sound.replace(b"\n", b" ")[:-1] + b"\n"
    yield bytes_defect("one-line", one_line, "all lines are one", UNSUPPORTED)
    yield bytes_defect("half", sound[: len(sound) // 2], "the second half is missing")
    for place, what in [(1, "ring"), (2, "slot"), (3, "body"), (4, "key"), (6, "mac")]:
        changed = lines[:place] + [b""] + lines[place:]
        yield bytes_defect(
            f"empty-line-before-{what}", b"\n".join(changed), f"an empty line before the {what}"
        )


# Where bytes occur: name, lines, line, field, and the format from which on the field is known to be bytes.
def places():
    yield "ring-id", SMALL, 1, 1, ""
    yield "subject-id", SMALL, 1, 7, ""
    yield "keyfile-salt", SMALL, 2, 3, ""
    yield "keyfile-body", SMALL, 3, 0, ""
    yield "scrypt-salt", with_slot("scrypt"), 4, 3, ""
    yield "scrypt-body", with_slot("scrypt"), 5, 0, ""
    yield "env-salt", with_slot("env"), 4, 4, ""
    yield "env-body", with_slot("env"), 5, 0, ""
    yield "command-salt", with_slot("command"), 4, 3, "command"
    yield "command-body", with_slot("command"), 5, 0, "command"
    yield "x25519-share", with_slot("x25519"), 4, 3, "x25519"
    yield "x25519-tag", with_slot("x25519"), 4, 4, "x25519"
    yield "x25519-body", with_slot("x25519"), 5, 0, "x25519"
    yield "other-body", with_slot("other"), 5, 0, ""
    yield "commitment", SMALL, 4, 5, ""
    yield "wrapped", SMALL, 4, 6, ""
    yield "sig-public-key", signed(), 6, 2, ""
    yield "sig-signature", signed(), 6, 3, ""
    yield "mac", SMALL + [mac_line(SMALL)], 6, 1, ""


def base64_defects():
    for name, lines, line, field, since in places():
        good = lines[line].split(" ")[field]
        data = base64_bytes(good)
        spoilt = [
            ("padded", good + "=", "its base64 is padded"),
            ("url-alphabet", "-" + good[1:], "its base64 is of the URL alphabet"),
        ]
        if name != "other-body":
            spoilt.append(("a-byte-short", b64(data[:-1]), "it is a byte too short"))
            spoilt.append(("a-byte-long", b64(data + b"\0"), "it is a byte too long"))
        if len(data) % 3:
            last = chr(ord(good[-1]) + 1)
            spoilt.append(("unused-bits", good[:-1] + last, "unused bits of its base64 are not zero"))
        for defect, text, what in spoilt:
            # Of unknown types only the body is known to be bytes, but every body is.
            only = since if not name.endswith("-body") or defect.startswith("a-byte") else ""
            changed = replaced(lines, line, field, text)
            whole = joined(changed) if name == "mac" else text_of(changed)
            yield Defect(f"{name}-{defect}", whole, MALFORMED, f"{name}: {what}", since=only)


def base64_bytes(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))
