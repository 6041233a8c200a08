"""Defects of the lines that format 4 adds: former rings, and databases that a keyring remembers."""

from keyring_writer import b64, fixed, joined
from malformed_base import (
    FIELDS, MALFORMED, RING, SMALL, TAMPERED, Defect, mac_line, replaced, signed, text_of,
)

SINCE = "records"
FORMER = [f"former {b64(fixed(name, 16))}" for name in ("former ring", "ring before")]
# In the order of their ids.
IDS = [bytes([number]) + fixed("database", 15) for number in (1, 7, 130, 255)]
FILES = [f"file {b64(IDS[0])} key 1 seen 0 at -", f"file {b64(IDS[2])} key 2 seen 0 at -"]


def sealed(database, changes, *columns):
    """The lines of a database and its columns, as one text."""
    first = f"sealed {b64(database)} seen 0 registry - changes {changes} {b64(fixed('code', 32))} lowest 0"
    return "\n".join([first] + [f"column 0 - {column}" for column in columns])


SEALED = [sealed(IDS[1], 4, "movies.note", "movies.title"), sealed(IDS[3], 9, "%C3%BC.x", "a%20b.c%2Ed")]
HEAD_4 = ["lockstep-keyring/4"]
# 0 magic, 1 ring, 2 and 3 slot, 4 and 5 keys, 6 and 7 former rings, 8 and 9 databases.
DATABASE = HEAD_4 + SMALL[1:] + FORMER + FILES
# 0 magic, 1 ring, 2 and 3 slot, 4 to 6 keys, 7 former ring, 8 and 9 databases.
DATASET = HEAD_4 + FIELDS[1:] + FORMER[:1] + SEALED


def record_defects():
    yield from sound()
    yield from formats()
    yield from orders()
    yield from fields()
    yield from numbers()
    yield from columns()
    yield from counts()
    yield from macs()


def defect(name, lines, what, expected=MALFORMED):
    return Defect(name, text_of(lines), expected, what, since=SINCE)


def sound():
    def opens(name, lines, what):
        return defect("sound-" + name, lines, what, "opens")

    yield opens("database", DATABASE, "former rings and databases")
    yield opens("fields", DATASET, "a former ring and databases with sealed columns")
    yield opens("former", HEAD_4 + SMALL[1:] + FORMER[:1], "one former ring")
    yield opens("file", HEAD_4 + SMALL[1:] + FILES[:1], "one database")
    yield opens("sealed", HEAD_4 + FIELDS[1:] + SEALED[:1], "one database with sealed columns")
    yield opens("no-column", HEAD_4 + FIELDS[1:] + [sealed(IDS[1], 4)], "a database without sealed columns")
    yield opens("signed", signed(DATASET), "signed")
    issued = DATASET[:6] + DATASET[7:]
    yield opens("issued", signed(issued), "an issued keyring")
    yield opens("greatest", HEAD_4 + FIELDS[1:] + [sealed(IDS[1], 2**63 - 1, "a.b")], "the greatest number")
    yield opens("greatest-key", HEAD_4 + SMALL[1:] + [f"file {b64(IDS[0])} key {2**32 - 1} seen 0 at -"], "the same of a key")
    rings = [f"former {b64(fixed(f'ring {number}', 16))}" for number in range(64)]
    yield opens("64-rings", HEAD_4 + SMALL[1:] + rings, "64 former rings")
    yield opens("1024-databases", HEAD_4 + FIELDS[1:] + many(1024), "1024 databases")
    yield opens("plain-names", HEAD_4 + FIELDS[1:] + [sealed(IDS[1], 1, "A_0.z", "a.B")], "plain names")


def many(count):
    return [sealed(number.to_bytes(16, "big"), 1, "t.c") for number in range(1, count + 1)]


def formats():
    yield defect("format-1-former", SMALL + FORMER, "a file of format 1 has former rings")
    yield defect("format-1-file", SMALL + FILES, "a file of format 1 lists databases")
    yield defect("format-1-sealed", FIELDS + SEALED, "a file of format 1 remembers databases")
    yield defect("format-4-plain", HEAD_4 + SMALL[1:], "nothing in a file of format 4 is of it")
    yield defect("format-4-plain-signed", signed(HEAD_4 + SMALL[1:]), "the same, signed")
    yield defect("format-4-of-fields", HEAD_4 + FIELDS[1:], "the same of a fields keyring")


def orders():
    head, files, former = DATABASE[:6], DATABASE[8:], DATABASE[6:8]
    yield defect("order-files-first", head + files + former, "databases stand before former rings")
    yield defect("order-records-first", head[:4] + former + files + head[4:], "they stand before the keys")
    yield defect("order-between-keys", head[:5] + former + files + head[5:], "they stand between two keys")
    yield defect("order-before-slots", head[:2] + former + files + head[2:], "they stand before the slots")
    yield defect("order-before-ring", head[:1] + former + files + head[1:], "they stand before the ring")
    lines = signed(DATABASE)
    yield defect("order-after-signature", lines[:6] + lines[-1:] + lines[6:-1], "they follow the signature")
    yield defect("order-mixed", head + former[:1] + files + former[1:], "a former ring follows a database")
    yield defect("order-file-ids", DATABASE[:8] + files[::-1], "databases are not in the order of their ids")
    yield defect("order-sealed-ids", DATASET[:8] + DATASET[8:][::-1], "the same of sealed columns")
    yield defect("twice-former", head + former + former[:1] + files, "a former ring stands twice")
    yield defect("former-is-ring", head + [f"former {b64(RING.id)}"], "the ring itself stands among the former ones")
    yield defect("twice-file", DATABASE + files[1:], "a database stands twice")
    yield defect("twice-file-other-key", DATABASE + [files[1].replace("key 2", "key 1")], "a database stands twice, with two keys")
    yield defect("twice-sealed", DATASET + DATASET[9:], "a database stands twice")
    yield defect("purpose-file", HEAD_4 + FIELDS[1:] + FILES, "a fields keyring lists databases to open")
    yield defect("purpose-sealed", HEAD_4 + SMALL[1:] + SEALED, "a database keyring remembers sealed columns")


def fields():
    for name, lines, line in [("former", DATABASE, 6), ("file", DATABASE, 8), ("sealed", DATASET, 8)]:
        good = lines[line]
        last = good.rindex(" ")
        for kind, text, what in [
            ("tab", good[:last] + "\t" + good[last + 1 :], "a tab stands in place of a space"),
            ("double-space", good[:last] + " " + good[last:], "two spaces part two fields"),
            ("trailing-space", good + " ", "a space follows the last field"),
            ("leading-space", " " + good, "a space stands in front of the first field"),
            ("upper-case", good[0].upper() + good[1:], "the first letter is in upper case"),
        ] + ([] if name == "sealed" else [
            ("a-field-less", good[:last], "the last field is missing"),
            ("a-field-more", good + " AA", "there is a field too many"),
        ]):
            yield defect(f"{name}-{kind}", lines[:line] + [text] + lines[line + 1 :], f"{name}: {what}")
        for kind, identifier in [("short", fixed("id", 15)), ("long", fixed("id", 17))]:
            yield defect(
                f"{name}-id-{kind}", replaced(lines, line, 1, b64(identifier)), f"{name}: the id is too {kind}")
        spelled = good.split(" ")[1]
        yield defect(f"{name}-id-padded", replaced(lines, line, 1, spelled + "=="), f"{name}: the id is padded")
        loose = spelled[:-1] + chr(ord(spelled[-1]) + 1)
        yield defect(f"{name}-id-loose", replaced(lines, line, 1, loose), f"{name}: unused bits are not zero")
        yield defect(f"{name}-id-empty", replaced(lines, line, 1, ""), f"{name}: the id is empty")
    yield defect("file-word", replaced(DATABASE, 8, 2, "version"), "another word stands for key")
    yield defect("sealed-word", replaced(DATASET, 8, 6, "change"), "another word stands for changes")
    short = DATASET[8].split(" ")
    yield defect("sealed-no-code", DATASET[:8] + [" ".join(short[:8])], "the MAC is missing")
    yield defect("sealed-code-short", replaced(DATASET, 8, 8, b64(fixed("code", 31))), "the MAC is 31 bytes")
    yield defect("sealed-code-long", replaced(DATASET, 8, 8, b64(fixed("code", 33))), "the MAC is 33 bytes")


def numbers():
    for name, text in [
        ("zero", "0"), ("leading-zero", "04"), ("plus", "+4"), ("minus", "-4"), ("point", "4.0"), ("word", "four"),
        ("hexadecimal", "0x4"), ("64-bits", "18446744073709551617"), ("too-great", "9223372036854775808"),
    ]:
        yield defect(f"changes-{name}", replaced(DATASET, 8, 7, text), f"the number of changes is {text}")
        text = "4294967296" if name == "too-great" else text
        yield defect(f"file-key-{name}", replaced(DATABASE, 8, 3, text), f"a database's key is {text}")


def columns():
    for name, text, what in [
        ("no-point", "movies", "a column without a table"), ("two-points", "main.movies.title", "two points"),
        ("no-table", ".title", "no name stands before the point"), ("no-name", "movies.", "none stands after it"),
        ("point-alone", ".", "a point alone"), ("quoted", '"movies".title', "a name is quoted"),
        ("lower-digits", "%c3%BC.x", "digits are in lower case"), ("one-digit", "a%2.x", "a digit is missing"),
        ("no-digits", "a.x%", "both are missing"), ("needless", "%61.x", "a plain letter is spelled otherwise"),
        ("no-utf-8", "%FF.x", "a name is no UTF-8"), ("surrogate", "%ED%A0%80.x", "half a pair is no UTF-8"),
        ("overlong", "%C0%AF.x", "a byte sequence is too long"), ("dash", "a-b.x", "a dash stands for itself"),
        ("plus", "a.%+1", "a sign stands for a digit"), ("slash", "a/b.x", "a slash stands for itself"),
    ]:
        lines = DATASET[:8] + [sealed(IDS[1], 4, text)]
        yield defect(f"column-{name}", lines, f"column: {what}")
    for name, texts, what in [
        ("twice", ("a.b", "a.b"), "a column stands twice"), ("order", ("b.a", "a.b"), "columns are out of order"),
        ("order-in-table", ("a.c", "a.b"), "columns of a table are out of order"),
        ("order-case", ("a.b", "A.b"), "capitals come first"),
        ("order-spelled", ("a.b", "%C3%BC.x"), "names are ordered as they are spelled"),
    ]:
        yield defect(f"columns-{name}", DATASET[:8] + [sealed(IDS[1], 4, *texts)], what)


def counts():
    rings = [f"former {b64(fixed(f'ring {number}', 16))}" for number in range(65)]
    yield defect("count-65-rings", HEAD_4 + SMALL[1:] + rings, "65 former rings")
    yield defect("count-1025-databases", HEAD_4 + FIELDS[1:] + many(1025), "1025 databases")
    files = [f"file {b64(number.to_bytes(16, 'big'))} key 1 seen 0 at -" for number in range(1, 1026)]
    yield defect("count-1025-files", HEAD_4 + SMALL[1:] + files, "1025 databases to open")


def macs():
    """Under the MAC of another text."""

    def tampered(name, lines, what, good):
        return Defect(f"mac-{name}", joined(lines + [mac_line(good)]), TAMPERED, what, since=SINCE)

    yield tampered("former-removed", DATABASE[:6] + DATABASE[7:], "a former ring was removed", DATABASE)
    yield tampered("former-exchanged", DATABASE[:6] + [DATABASE[7], DATABASE[6]] + DATABASE[8:],
                   "two former rings were exchanged", DATABASE)
    yield tampered("file-removed", DATABASE[:9], "a database was removed", DATABASE)
    yield tampered("file-key", replaced(DATABASE, 8, 3, "2"), "a database's key was changed", DATABASE)
    yield tampered("file-id", replaced(DATABASE, 8, 1, b64(IDS[1])), "a database's id was changed", DATABASE)
    yield tampered("sealed-removed", DATASET[:9], "a database was forgotten", DATASET)
    yield tampered("sealed-changes", replaced(DATASET, 8, 7, "3"), "the number of changes was lowered", DATASET)
    yield tampered("sealed-code", replaced(DATASET, 8, 8, b64(fixed("other"))), "the MAC is another", DATASET)
    yield tampered("sealed-column", DATASET[:8] + [DATASET[8].rsplit("\n", 1)[0]] + DATASET[9:],
                   "a column was removed", DATASET)
    yield tampered("as-format-1", SMALL, "all of it was removed, and the format lowered", DATABASE)
    lines = signed(DATASET)
    changed = replaced(DATASET, 8, 7, "3") + lines[-1:]
    yield Defect("sig-sealed-changes", text_of(changed), TAMPERED, "what was signed says another number", since=SINCE)
