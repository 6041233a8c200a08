"""What a keyring of format 2 remembers, by Keys/README.md alone."""

import re

from keyring_pieces import malformed, matches, number, unbase64


def spelled(text):
    """A name as in a `sealed` line: each byte that is not plain is a percent sign and two digits."""
    data, position = b"", 0
    while position < len(text):
        if text[position] != "%":
            data += matches("[A-Za-z0-9_]", text[position]).encode()
            position += 1
            continue
        byte = int(matches("[0-9A-F]{2}", text[position + 1 : position + 3]), 16)
        if re.fullmatch("[A-Za-z0-9_]", chr(byte)):
            raise malformed("what stands for itself is spelled otherwise")
        data, position = data + bytes([byte]), position + 3
    try:
        name = data.decode("utf-8")
    except UnicodeDecodeError:
        raise malformed("a name is no UTF-8") from None
    if not name:
        raise malformed("a name is empty")
    return name


def parse_former(line):
    fields = line.split(" ")
    if len(fields) != 2:
        raise malformed("a former ring's line")
    return unbase64(fields[1], 16)


def parse_file(line):
    fields = line.split(" ")
    if len(fields) != 4 or fields[2] != "key":
        raise malformed("a database's line")
    return {"database": unbase64(fields[1], 16), "key": number(fields[3], 1, 2**32 - 1)}


def parse_sealed(line):
    fields = line.split(" ")
    if len(fields) < 5 or fields[2] != "changes":
        raise malformed("the line of a database with sealed columns")
    columns = fields[5:]
    if any(len(column.split(".")) != 2 for column in columns):
        raise malformed("a sealed column")
    if any(not first < second for first, second in zip(columns, columns[1:])):
        raise malformed("sealed columns out of their order")
    return {
        "database": unbase64(fields[1], 16), "changes": number(fields[3], 1, 2**63 - 1),
        "mac": unbase64(fields[4], 32),
        "columns": [[spelled(name) for name in column.split(".")] for column in columns],
    }


# The lines that format 2 adds to those of format 1, in their order.
RECORDS = {"former": parse_former, "file": parse_file, "sealed": parse_sealed}


def check_records(ring):
    former, files, sealed = ring["former"], ring["file"], ring["sealed"]
    if ring["format"] == 2 and not former + files + sealed:
        raise malformed("nothing in it is of format 2")
    if len(former) > 64 or len(files) > 1024 or len(sealed) > 1024:
        raise malformed("the number of former rings or databases")
    if len(set(former + [ring["id"]])) != len(former) + 1:
        raise malformed("a ring stands twice")
    if (files and ring["purpose"] != "database") or (sealed and ring["purpose"] != "fields"):
        raise malformed("databases of a keyring of another purpose")
    databases = [record["database"] for record in files + sealed]
    if any(not first < second for first, second in zip(databases, databases[1:])):
        raise malformed("databases out of their order")
