"""Malformed/: one text file for each category, with its keyrings below each other.

    # A remark.
    = NAME EXPECTED CREDENTIAL SINCE WHAT IT IS
    |a line of the keyring
    +bytes without an LF after them, at the keyring's end

EXPECTED is the error's code, or opens; SINCE is the part of the format that the expectation depends on, or `-`. In a
line, printable ASCII stands for itself, except for the backslash and a space at the end; every other byte is `\\x` and
two digits. Each keyring has exactly one spelling.
"""

import dataclasses
import re

REMARK = "# Made by make_malformed.py; malformed_corpus.py describes the form.\n"
HEADER = re.compile(r"= (\S+) (\S+) (\S+) (\S+) (\S.*)")


@dataclasses.dataclass(frozen=True)
class Entry:
    name: str
    expected: str
    credential: str
    since: str
    what: str
    text: bytes


def encode(entries):
    return REMARK + "".join(
        f"\n= {entry.name} {entry.expected} {entry.credential} {entry.since} {entry.what}\n{body(entry.text)}"
        for entry in entries
    )


def body(text):
    lines = text.split(b"\n")
    last = lines.pop()
    return "".join(f"|{escaped(line)}\n" for line in lines) + (f"+{escaped(last)}\n" if last else "")


def escaped(line):
    shown = "".join(
        chr(byte) if 0x20 <= byte <= 0x7E and byte != 0x5C else f"\\x{byte:02x}" for byte in line
    )
    return shown[:-1] + "\\x20" if shown.endswith(" ") else shown


def decode(corpus):
    entries, fields, text = [], None, b""

    def end():
        if fields:
            entries.append(Entry(*fields, text))

    for number, line in enumerate(corpus.removesuffix("\n").split("\n"), start=1):
        if header := HEADER.fullmatch(line):
            end()
            fields, text = header.groups(), b""
        elif line[:1] in ("|", "+") and fields:
            text += unescaped(line[1:]) + (b"\n" if line[0] == "|" else b"")
        elif line and not line.startswith("#"):
            raise ValueError(f"line {number} is of no known form")
    end()
    if encode(entries) != corpus:
        raise ValueError("the keyrings have another spelling")
    return entries


def unescaped(line):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes.fromhex(match[1].decode()), line.encode("ascii"))
