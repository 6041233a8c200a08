"""What keyrings of format 4 remember, by Keys/README.md alone."""

import re

from keyring_pieces import NAME, malformed, matches, number, unbase64

LARGEST = 2**63 - 1


def percent(text, plain):
    """Bytes of which those that are not plain are each a percent sign and two digits."""
    data, position = b"", 0
    while position < len(text):
        if text[position] != "%":
            data += matches(plain, text[position]).encode()
            position += 1
            continue
        byte = int(matches("[0-9A-F]{2}", text[position + 1 : position + 3]), 16)
        if re.fullmatch(plain, chr(byte)):
            raise malformed("what stands for itself is spelled otherwise")
        data, position = data + bytes([byte]), position + 3
    return data


def spelled(text):
    try:
        name = percent(text, "[A-Za-z0-9_]").decode("utf-8")
    except UnicodeDecodeError:
        raise malformed("a name is no UTF-8") from None
    if not name:
        raise malformed("a name is empty")
    return name


def path(text):
    data = percent(text, "[A-Za-z0-9_./]")
    parts = data.removeprefix(b"/").split(b"/")
    inner = parts[1:] if parts[0] == b".." and data[:1] != b"/" else parts
    if not inner or len(data) > 4096 or b"\0" in data or any(part in (b"", b".", b"..") for part in inner):
        raise malformed("a database's path")
    return data


def or_dash(parse, text):
    return None if text == "-" else parse(text)


def identity(text):
    return unbase64(text, 16)


def column_name(text):
    names = text.split(".")
    if len(names) != 2:
        raise malformed("a sealed column")
    return [spelled(name) for name in names]


def words(fields, *expected):
    """The words of a line are where they belong."""
    if any(fields[place] != word for place, word in expected):
        raise malformed("another word")


def origin(fields, count):
    """The id of a line's end `from …`; nothing follows the first fields otherwise."""
    if len(fields) not in (count, count + 2):
        raise malformed("the number of fields")
    if len(fields) == count:
        return None
    words(fields, (count, "from"))
    return identity(fields[count + 1])


def parse_former(line):
    fields = line.split(" ")
    if len(fields) != 2:
        raise malformed("a former ring's line")
    return identity(fields[1])


def parse_file(line):
    fields = line.split(" ")
    salt = None
    if fields[4:5] == ["own"]:
        salt = identity(fields[5]) if len(fields) > 5 else identity("")
        del fields[4:6]
    forked = origin(fields, 8)
    words(fields, (2, "key"), (4, "seen"), (6, "at"))
    return {
        "database": identity(fields[1]), "key": number(fields[3], 1, 2**32 - 1), "own": salt,
        "seen": number(fields[5], 0, LARGEST), "at": or_dash(path, fields[7]), "from": forked,
    }


def parse_sealed(line):
    fields = line.split(" ")
    forked = origin(fields, 11)
    words(fields, (2, "seen"), (4, "registry"), (6, "changes"), (9, "lowest"))
    record = {
        "database": identity(fields[1]), "seen": number(fields[3], 0, LARGEST),
        "registry": or_dash(identity, fields[5]), "changes": number(fields[7], 0, LARGEST),
        "mac": or_dash(lambda text: unbase64(text, 32), fields[8]),
        "lowest": number(fields[10], 0, 2**32 - 1), "from": forked, "columns": [],
    }
    if record["changes"] and not record["mac"]:
        raise malformed("changes without a MAC")
    if not record["changes"] and (record["mac"] or record["registry"] or record["lowest"]):
        raise malformed("a registry without changes")
    return record


def parse_column(line):
    fields = line.split(" ")
    if len(fields) == 4:
        words(fields, (1, "0"), (2, "-"))
        return {"spelling": fields[3], "name": column_name(fields[3]), "number": 0}
    if len(fields) < 8:
        raise malformed("a column's line")
    key = fields[7:]
    if key != ["-"]:
        if len(key) < 2 or key[0] not in ("row", "key") or key[0] == "row" and len(key) > 2:
            raise malformed("a column's primary key")
        key = [key[0]] + [spelled(name) for name in key[1:]]
    return {
        "spelling": fields[3], "name": column_name(fields[3]), "number": number(fields[1], 1, 2**32 - 1),
        "identity": or_dash(identity, fields[2]), "mode": matches(NAME, fields[4]),
        "padding": number(fields[5], 0, 2**32 - 1), "state": matches(NAME, fields[6]),
        "key": None if key == ["-"] else key, "indexes": [],
    }


def parse_index(line):
    fields = line.split(" ")
    if len(fields) != 6:
        raise malformed("an index's line")
    return {
        "number": number(fields[1], 1, 2**32 - 1), "name": spelled(fields[2]),
        "normaliser": matches(NAME, fields[3]), "bits": number(fields[4], 1, 256),
        "key": number(fields[5], 1, 2**32 - 1),
    }


# The lines that format 4 adds to those of format 1, in their order.
RECORDS = {"former": parse_former, "file": parse_file, "sealed": parse_sealed}


def read_records(ring, here, take):
    """Reads them: `here` shows the next line, `take` goes on to the one after it."""
    for word, parse in RECORDS.items():
        while here().startswith(word + " "):
            ring[word].append(parse(take()))
            while word == "sealed" and here().startswith("column "):
                ring[word][-1]["columns"].append(column := parse_column(take()))
                while column["number"] and here().startswith("index "):
                    column["indexes"].append(parse_index(take()))


def ascending(values):
    return all(first < second for first, second in zip(values, values[1:]))


def check_columns(record):
    columns = record["columns"]
    if columns and not record["changes"]:
        raise malformed("columns without changes")
    if not ascending([column["spelling"] for column in columns]):
        raise malformed("sealed columns out of their order")
    numbers = [column["number"] for column in columns if column["number"]]
    identities = [column["identity"] for column in columns if column["number"] and column["identity"]]
    if len(set(numbers)) != len(numbers) or len(set(identities)) != len(identities):
        raise malformed("a column's number or identity stands twice")
    for column in columns:
        if not ascending([index["number"] for index in column.get("indexes", [])]):
            raise malformed("indexes out of their order")


def check_records(ring):
    former, files, sealed = ring["former"], ring["file"], ring["sealed"]
    if ring["format"] > 1 and not former + files + sealed:
        raise malformed("nothing in it is of that format")
    if len(former) > 64 or len(files) > 1024 or len(sealed) > 1024:
        raise malformed("the number of former rings or databases")
    if len(set(former + [ring["id"]])) != len(former) + 1:
        raise malformed("a ring stands twice")
    if (files and ring["purpose"] != "database") or (sealed and ring["purpose"] != "fields"):
        raise malformed("databases of a keyring of another purpose")
    if not ascending([record["database"] for record in files + sealed]):
        raise malformed("databases out of their order")
    for record in sealed:
        check_columns(record)


def shown(value):
    """A record for printing: bytes in hexadecimal, columns without their spelling."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [shown(one) for one in value]
    if isinstance(value, dict):
        return {name: shown(one) for name, one in value.items() if name != "spelling"}
    return value
