"""Makes the example of the article DatabasePages.

    make_example.py page          writes the file of one page to standard output
    make_example.py --check FILE  exits with 1 if a number of the example is not in the article
"""

import hashlib
import struct
import sys

import read_pages as pages

DATA_KEY = bytes(range(32))
DATABASE = bytes(range(0xA0, 0xB0))
VECTOR = bytes(range(0x40, 0x50))
KEY, SALT = pages.raw_key(DATA_KEY, DATABASE)


def content():
    """An empty database whose user_version is 42."""
    header = pages.MAGIC + struct.pack(">HBBBBBB", 4096, 1, 1, 80, 64, 32, 32)
    header += struct.pack(">11I", 1, 1, 0, 0, 0, 4, 0, 0, 1, 42, 0)
    header += bytes(24) + struct.pack(">II", 1, 3046001)
    leaf = struct.pack(">BHHHB", 0x0D, 0, 0, pages.USABLE, 0)
    return (header + leaf).ljust(pages.USABLE, b"\x00")


def sealed():
    encryptor = pages.cipher(KEY, VECTOR).encryptor()
    text = encryptor.update(content()[16:]) + encryptor.finalize()
    page = SALT + text + VECTOR
    return page + pages.code(page + bytes(64), 1, pages.mac_key(KEY, SALT))


def numbers():
    page = sealed()
    return {
        "header": content()[16:100],
        "leaf": content()[100:108],
        "raw key": KEY,
        "salt": SALT,
        "MAC key": pages.mac_key(KEY, SALT),
        "ciphertext": page[16:48],
        "MAC": page[-64:],
        "SHA-256": hashlib.sha256(page).digest(),
    }


if sys.argv[1] == "page":
    sys.stdout.buffer.write(sealed())
else:
    with open(sys.argv[2], encoding="utf-8") as file:
        article = "".join(file.read().split())
    missing = [name for name, value in numbers().items() if value.hex() not in article]
    for name in missing:
        print(f"{name} {numbers()[name].hex()}", file=sys.stderr)
    sys.exit(1 if missing else 0)
