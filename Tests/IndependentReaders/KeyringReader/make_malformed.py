"""Makes Malformed/: sound keyrings, and ones with one defect each, in a text file for each category.

    make_malformed.py           writes the folder again
    make_malformed.py --check   fails if the folder differs, or if read_keyring.py judges a keyring otherwise

Except for its defect each file is sound: where the defect is not the MAC or the signature, both are made for the
text as it is, as someone who holds a slot could.
"""

import os
import sys

sys.dont_write_bytecode = True

from keyring_writer import IDENTITY
from malformed_bytes import base64_defects, byte_defects
from malformed_corpus import Entry, decode, encode
from malformed_lines import line_defects
from malformed_plugins import plugin_defects
from malformed_records import record_defects
from malformed_remembered import remembered_defects
from malformed_slots import slot_defects
from malformed_whole import whole_defects
from read_keyring import Refusal, parse_identity, read

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Malformed")
SECRETS = {
    "keyfile": (b"\xa5" * 32,),
    "env": (b"\x5a" * 32, "LOCKSTEP_RING"),
    "command": (b"\xc3" * 32,),
    "scrypt": ("a passphrase".encode(),),
    "plugin": (b"\x3c" * 16,),
    "x25519": (parse_identity(IDENTITY),),
}
CATEGORIES = {
    "bytes": byte_defects, "base64": base64_defects, "lines": line_defects, "slots": slot_defects,
    "whole": whole_defects, "plugins": plugin_defects, "records": record_defects,
    "remembered": remembered_defects,
}


def made(category):
    entries = [
        Entry(one.name, one.expected, one.opened_with, one.since or "-", one.what, one.text)
        for one in CATEGORIES[category]()
    ]
    names = [entry.name for entry in entries]
    assert len(set(names)) == len(names), category
    return entries


def check(entries):
    """What is wrong with a category's keyrings."""
    for entry in entries:
        try:
            read(entry.text, entry.credential, *SECRETS[entry.credential])
            outcome = "opens"
        except Refusal as refusal:
            outcome = refusal.code
        if outcome != entry.expected:
            yield f"{entry.name}: {outcome}, not {entry.expected}"


def main(arguments):
    count, sound, wrong = 0, 0, []
    os.makedirs(FOLDER, exist_ok=True)
    if extra := set(os.listdir(FOLDER)) - {f"{category}.txt" for category in CATEGORIES}:
        wrong.append(f"no script makes {sorted(extra)}")
    for category in CATEGORIES:
        corpus = encode(made(category))
        path = os.path.join(FOLDER, category + ".txt")
        if arguments != ["--check"]:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(corpus)
        with open(path, encoding="utf-8", newline="") as file:
            standing = file.read()
        if standing != corpus:
            wrong.append(f"{category}.txt is not what the script makes")
        entries = decode(standing)
        count += len(entries)
        sound += sum(entry.expected == "opens" for entry in entries)
        wrong += [f"{category}.txt: {complaint}" for complaint in check(entries)]
    print(f"{count} keyrings, {sound} of them sound", flush=True)
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
