"""Makes Malformed/: sound keyrings, and ones with one defect each, in folders with an index.

    make_malformed.py           writes the folder again
    make_malformed.py --check   fails if the folder differs, or if read_keyring.py judges a file otherwise

Except for its defect each file is sound: where the defect is not the MAC or the signature, both are made for the
text as it is, as someone who holds a slot could.
"""

import os
import shutil
import sys

sys.dont_write_bytecode = True

from keyring_writer import IDENTITY
from malformed_bytes import base64_defects, byte_defects
from malformed_lines import line_defects
from malformed_plugins import plugin_defects
from malformed_records import record_defects
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
HEADER = "file\texpected\twith\tsince\twhat\n"
# Git and editors must leave these bytes as they are.
ATTRIBUTES = b"* -text -whitespace\n"


def files():
    made, all_defects = {".gitattributes": ATTRIBUTES}, []
    groups = {
        "bytes": byte_defects, "base64": base64_defects, "lines": line_defects, "slots": slot_defects,
        "whole": whole_defects, "plugins": plugin_defects, "records": record_defects,
    }
    for group, defects in groups.items():
        index = HEADER
        for defect in defects():
            name = defect.name + ".txt"
            assert f"{group}/{name}" not in made, name
            made[f"{group}/{name}"] = defect.text
            columns = [name, defect.expected, defect.opened_with, defect.since or "-", defect.what]
            index += "\t".join(columns) + "\n"
            all_defects.append(defect)
        made[f"{group}/index.tsv"] = index.encode()
    return made, all_defects


def check(made, defects):
    wrong = []
    for defect in defects:
        try:
            read(defect.text, defect.opened_with, *SECRETS[defect.opened_with])
            outcome = "opens"
        except Refusal as refusal:
            outcome = refusal.code
        if outcome != defect.expected:
            wrong.append(f"{defect.name}: {outcome}, not {defect.expected}")
    standing = {}
    for folder, _, names in os.walk(FOLDER):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                standing[os.path.relpath(path, FOLDER)] = file.read()
    for name in sorted(made.keys() | standing.keys()):
        if made.get(name) != standing.get(name):
            wrong.append(f"{name} is not what the script makes")
    return wrong


def main(arguments):
    made, defects = files()
    if arguments != ["--check"]:
        shutil.rmtree(FOLDER, ignore_errors=True)
        for name, content in made.items():
            path = os.path.join(FOLDER, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
    wrong = check(made, defects)
    print(f"{len(defects)} keyrings, {sum(d.expected == 'opens' for d in defects)} of them sound", flush=True)
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
