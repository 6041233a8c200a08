"""Decrypts database files, by the article DatabasePages alone: no line of it was taken from Lockstep's sources.

    read_pages.py decrypt DATABASE PLAIN [DATABASE PLAIN …] < SECRET
    read_pages.py rows DATABASE < SECRET

SECRET is one JSON object: data_key and database, as in a keyring, or data_key and file, the identity of a file with a key of
its own, or raw_key; all in hex. It comes through standard
input, never as an argument. `decrypt` writes a plain SQLite file; `rows` writes nothing and prints the schema and the
rows of every table, each value as [type, bytes in hex], as JSON. If there is a log beside DATABASE, it is read too.
A refusal goes to standard error, `code: message`, with status 1.
"""

import hashlib
import hmac
import json
import os
import sqlite3
import struct
import sys

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

PAGE = 4096
RESERVED = 80
VECTOR = 16
USABLE = PAGE - RESERVED
SALT = 16
MAGIC = b"SQLite format 3\x00"
LOCK_PAGE = (1 << 30) // PAGE + 1
LOG_HEADER, FRAME_HEADER = 32, 24


class Refusal(Exception):
    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")


# Keys


def hkdf(secret, salt, info, count):
    prk = hmac.digest(salt, secret, "sha256")
    out, block, counter = b"", b"", 1
    while len(out) < count:
        block = hmac.digest(prk, block + info + bytes([counter]), "sha256")
        out, counter = out + block, counter + 1
    return out[:count]


def raw_key(data_key, database):
    """The key of the pages, and the salt of a new file."""
    derived = hkdf(data_key, database, b"sqlcipher raw key v1", 48)
    return derived[:32], derived[32:]


def mac_key(key, salt):
    return hashlib.pbkdf2_hmac("sha512", key, bytes(byte ^ 0x3A for byte in salt), 2, 32)


# Pages


def start(number):
    return SALT if number == 1 else 0


def code(page, number, mac):
    covered = page[start(number) : USABLE + VECTOR]
    return hmac.digest(mac, covered + struct.pack("<I", number), "sha512")


def cipher(key, vector):
    return Cipher(algorithms.AES(key), modes.CBC(vector))


class Pages:
    """Opens the pages of one file."""

    def __init__(self, key, salt):
        self.key, self.mac = key, mac_key(key, salt)

    def verifies(self, page, number):
        return hmac.compare_digest(code(page, number, self.mac), page[USABLE + VECTOR :])

    def plain(self, page, number):
        """The page as SQLite sees it, with zeros in the reserved bytes."""
        if not self.verifies(page, number):
            raise Refusal("page-damaged", f"page {number} does not verify")
        decryptor = cipher(self.key, page[USABLE : USABLE + VECTOR]).decryptor()
        text = decryptor.update(page[start(number) : USABLE]) + decryptor.finalize()
        return (MAGIC if number == 1 else b"") + text + bytes(RESERVED)


# The log


def checksum(data, order, sums):
    one, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2]):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


def committed(log):
    """The newest committed content of each page that the log holds, and how many pages the database has."""
    if len(log) < LOG_HEADER:
        return {}, None
    magic, _, size = struct.unpack(">III", log[:12])
    if magic not in (0x377F0682, 0x377F0683) or size != PAGE:
        return {}, None
    order = ">" if magic & 1 else "<"
    sums = checksum(log[:24], order, (0, 0))
    if sums != struct.unpack(">II", log[24:32]):
        return {}, None
    pages, pending, count, at = {}, {}, None, LOG_HEADER
    while at + FRAME_HEADER + PAGE <= len(log):
        number, commit = struct.unpack(">II", log[at : at + 8])
        page = log[at + FRAME_HEADER : at + FRAME_HEADER + PAGE]
        sums = checksum(page, order, checksum(log[at : at + 8], order, sums))
        if log[at + 8 : at + 16] != log[16:24] or log[at + 16 : at + 24] != struct.pack(">II", *sums):
            break
        if number == 0:
            break
        pending[number] = page
        if commit:
            pages.update(pending)
            pending, count = {}, commit
        at += FRAME_HEADER + PAGE
    return pages, count


# Files


def contents(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def plain_database(path, secret):
    """The bytes of a plain SQLite file."""
    data = contents(path)
    if contents(path + "-journal"):
        raise Refusal("journal", "a rollback journal lies beside the file")
    if data[:SALT] == MAGIC:
        raise Refusal("plaintext", "the file is not encrypted")
    if len(data) < PAGE:
        raise Refusal("truncated", "the file has no whole page")
    if "raw_key" in secret:
        key = bytes.fromhex(secret["raw_key"])
    else:
        data_key = bytes.fromhex(secret["data_key"])
        if "file" in secret:
            key = hkdf(data_key, bytes(32), b"file/1" + bytes.fromhex(secret["file"]), 32)
        else:
            key, _ = raw_key(data_key, bytes.fromhex(secret["database"]))
    opened = Pages(key, data[:SALT])
    logged, count = committed(contents(path + "-wal"))
    if count is None:
        if len(data) % PAGE:
            raise Refusal("truncated", "the file ends inside a page")
        count = len(data) // PAGE
    plain = bytearray()
    for number in range(1, count + 1):
        page = logged.get(number) or data[(number - 1) * PAGE : number * PAGE]
        if len(page) < PAGE:
            raise Refusal("truncated", f"page {number} is missing")
        # SQLite keeps its locks in this page and never writes it.
        plain += bytes(PAGE) if number == LOCK_PAGE else opened.plain(page, number)
    header = struct.unpack(">I", plain[28:32])[0]
    if header != count:
        raise Refusal("truncated", f"page 1 counts {header} pages, and there are {count}")
    return bytes(plain)


# SQLite


class Text(bytes):
    """Text; bytes are a BLOB."""


def connect(plain):
    """The database in memory, with text as the bytes that it is stored as."""
    connection = sqlite3.connect(":memory:")
    # A database in memory has no log: page 1 says that rollback journals are used.
    connection.deserialize(plain[:18] + b"\x01\x01" + plain[20:])
    connection.text_factory = Text
    return connection


def stored(value):
    if value is None:
        return [0, ""]
    if isinstance(value, int):
        return [1, struct.pack(">q", value).hex()]
    if isinstance(value, float):
        return [2, struct.pack(">d", value).hex()]
    return [3 if isinstance(value, Text) else 4, value.hex()]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def rows(plain):
    connection = connect(plain)
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    tables = {}
    for (name,) in names.fetchall():
        name = name.decode()
        found = connection.execute(f"SELECT * FROM {quoted(name)}").fetchall()
        tables[name] = sorted([stored(value) for value in row] for row in found)
    problems = [row[0].decode() for row in connection.execute("PRAGMA integrity_check")]
    return {"integrity": problems, "pages": len(plain) // PAGE, "tables": tables}


def main(command, *paths):
    secret = json.load(sys.stdin)
    if command == "rows":
        print(json.dumps(rows(plain_database(paths[0], secret))))
        return
    for path, target in zip(paths[::2], paths[1::2], strict=True):
        plain = plain_database(path, secret)
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(plain)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Refusal as refusal:
        sys.exit(str(refusal))
