"""Defects of what the lines of format 4 say: what databases have recorded, their salts, paths, columns and indexes."""

from keyring_writer import b64, fixed, joined
from malformed_base import FIELDS, MALFORMED, SMALL, TAMPERED, UNSUPPORTED, Defect, mac_line, replaced, signed, text_of
from malformed_records import FORMER, IDS

SINCE = "remembered"
HEAD_4 = ["lockstep-keyring/4"]
ORIGIN = b64(fixed("origin", 16))
REGISTRY, CODE = b64(fixed("registry", 16)), b64(fixed("code"))
SALT = b64(fixed("salt", 16))
FILES = [
    f"file {b64(IDS[0])} key 1 seen 0 at -",
    f"file {b64(IDS[1])} key 2 seen 6 at ../films.db",
    f"file {b64(IDS[2])} key 2 seen 7 at /srv/f%C3%AFlms%20%2D%25/a.db from {ORIGIN}",
    f"file {b64(IDS[3])} key 2 own {SALT} seen 5 at ../own.db from {ORIGIN}",
]
COLUMNS = [
    f"column 7 {b64(fixed('column a', 16))} movies.note random 0 sealed row id",
    f"column 2 {b64(fixed('column b', 16))} movies.title deterministic 64 migrating -",
    "index 1 title_exact_token exact 24 1",
    "index 3 title%20token prefix-3 256 4294967295",
    "column 4294967295 - prices.a%20b random 65536 unsealing key region p%C3%B6s",
]
NAMES = ["column 0 - %C3%BC.x", "column 0 - a%20b.c%2Ed"]
SEALED = [
    f"sealed {b64(IDS[0])} seen 0 registry - changes 0 - lowest 0",
    f"sealed {b64(IDS[1])} seen 6 registry {REGISTRY} changes 4 {CODE} lowest 1 from {ORIGIN}",
]
OLDER = [f"sealed {b64(IDS[3])} seen 0 registry - changes 9 {CODE} lowest 0"] + NAMES
# 0 magic, 1 ring, 2 and 3 slot, 4 and 5 keys, 6 and 7 former rings, 8 to 11 databases.
DATABASE = HEAD_4 + SMALL[1:] + FORMER + FILES
# 0 magic, 1 ring, 2 and 3 slot, 4 to 6 keys, 7 and 8 databases, 9 to 13 columns and indexes, 14 a database, 15 and 16
# its columns.
DATASET = HEAD_4 + FIELDS[1:] + SEALED + COLUMNS + OLDER


def remembered_defects():
    yield from sound()
    yield from formats()
    yield from orders()
    yield from files()
    yield from sealed()
    yield from columns()
    yield from indexes()
    yield from paths()
    yield from counts()
    yield from macs()


def defect(name, lines, what, expected=MALFORMED):
    return Defect(name, text_of(lines), expected, what, since=SINCE)


def with_line(lines, place, text):
    return lines[:place] + [text] + lines[place + 1 :]


def sound():
    def opens(name, lines, what):
        return defect("sound-" + name, lines, what, "opens")

    yield opens("database", DATABASE, "former rings and databases")
    yield opens("fields", DATASET, "databases with sealed columns and indexes")
    yield opens("former", HEAD_4 + SMALL[1:] + FORMER[:1], "one former ring")
    yield opens("unsealed", HEAD_4 + FIELDS[1:] + SEALED[:1], "a database in which nothing is sealed yet")
    yield opens("no-column", HEAD_4 + FIELDS[1:] + SEALED, "a database whose columns are all plaintext again")
    yield opens("names-alone", HEAD_4 + FIELDS[1:] + OLDER, "columns of which only the names are known")
    yield opens("signed", signed(DATASET), "signed")
    yield opens("greatest-seen", replaced(DATABASE, 9, 5, str(2**63 - 1)), "the greatest epoch")
    yield opens("greatest-lowest", replaced(DATASET, 8, 10, str(2**32 - 1)), "the greatest version")
    yield opens("shared", with_line(DATABASE, 11, FILES[3].replace(f" own {SALT}", "")), "a file that shares its key")
    yield opens("no-identity", replaced(DATASET, 9, 2, "-"), "a column without an identity")
    yield opens("one-row-key", replaced(DATASET, 9, 8, "%22"), "a primary key that needs a percent sign")
    for name, path, what in [
        ("name", "films.db", "beside the keyring"), ("folders", "../a/b/c.db", "below folders"),
        ("dots", "../..a/.b/...", "names that begin with dots"), ("root", "/a", "in the root"),
        ("bytes", "%FF%01%0A.db", "bytes that are no UTF-8"), ("long", "/" + "a" * 4095, "4096 bytes"),
    ]:
        yield opens(f"path-{name}", replaced(DATABASE, 9, 7, path), f"a path: {what}")


def formats():
    for form, code in ((1, MALFORMED), (2, UNSUPPORTED), (3, UNSUPPORTED)):
        head = [f"lockstep-keyring/{form}"]
        yield defect(f"format-{form}-file", head + DATABASE[1:], f"a file of format {form} has lines of databases", code)
        yield defect(f"format-{form}-sealed", head + DATASET[1:], f"a file of format {form} has lines of columns", code)
    second = [f"file {b64(IDS[0])} key 1", f"sealed {b64(IDS[1])} changes 4 {CODE} movies.note"]
    yield defect("short-file", HEAD_4 + SMALL[1:] + second[:1], "a database is not said where")
    yield defect("short-sealed", HEAD_4 + FIELDS[1:] + second[1:], "sealed columns are in the line of their database")
    yield defect("plain", HEAD_4 + SMALL[1:], "nothing in a file of format 4 is of it")
    yield defect("plain-fields", HEAD_4 + FIELDS[1:], "the same of a fields keyring")


def orders():
    yield defect("order-files-first", DATABASE[:6] + FILES + FORMER, "databases stand before former rings")
    yield defect("order-file-ids", DATABASE[:8] + FILES[::-1], "databases are not in the order of their ids")
    yield defect("order-sealed-ids", DATASET[:7] + DATASET[14:] + DATASET[7:14], "the same of sealed columns")
    yield defect("order-column-first", DATASET[:7] + COLUMNS[:1] + DATASET[7:], "a column stands before its database")
    yield defect("order-column-of-file", DATABASE + COLUMNS[:1], "a column follows a database to open")
    yield defect("order-index-first", DATASET[:9] + COLUMNS[2:3] + DATASET[9:], "an index stands before a column")
    yield defect("order-index-of-name", DATASET + COLUMNS[2:3], "an index follows a column of which only the name is known")
    yield defect("order-columns", DATASET[:9] + COLUMNS[1:4] + COLUMNS[:1] + DATASET[13:], "columns are out of order")
    yield defect("order-names", DATASET[:15] + NAMES[::-1], "columns with names alone are out of order")
    yield defect("order-indexes", DATASET[:11] + COLUMNS[3:1:-1] + DATASET[13:], "indexes are out of order")
    yield defect("twice-file", DATABASE + FILES[3:], "a database stands twice")
    yield defect("twice-sealed", DATASET[:8] + DATASET[7:], "a database stands twice")
    yield defect("twice-column", DATASET[:10] + DATASET[9:], "a column stands twice")
    yield defect("twice-index", DATASET[:12] + DATASET[11:], "an index stands twice")
    yield defect("twice-number", replaced(DATASET, 9, 1, "2"), "two columns have one number")
    identity = COLUMNS[1].split(" ")[2]
    yield defect("twice-identity", replaced(DATASET, 9, 2, identity), "two columns have one identity")
    yield defect("purpose-file", HEAD_4 + FIELDS[1:] + FILES, "a fields keyring lists databases to open")
    yield defect("purpose-sealed", HEAD_4 + SMALL[1:] + SEALED, "a database keyring remembers sealed columns")


def blanks(name, lines, place):
    """What no line may have, whatever it says."""
    good = lines[place]
    first, last = good.index(" "), good.rindex(" ")
    for kind, text, what in [
        ("tab", good[:last] + "\t" + good[last + 1 :], "a tab stands in place of a space"),
        ("double-space", good[:first] + " " + good[first:], "two spaces part two fields"),
        ("trailing-space", good + " ", "a space follows the last field"),
        ("leading-space", " " + good, "a space stands in front of the first field"),
        ("upper-case", good[0].upper() + good[1:], "the first letter is in upper case"),
        ("a-field-less", good[:last], "the last field is missing"),
        ("a-field-more", good + " AA", "there is a field too many"),
        ("empty", good[:first] + " ", "all fields are missing"),
    ]:
        yield defect(f"{name}-{kind}", with_line(lines, place, text), f"{name}: {what}")


def bad_numbers(name, lines, place, field, most, least=0):
    texts = [
        ("leading-zero", "04"), ("plus", "+4"), ("minus", "-4"), ("point", "4.0"), ("word", "four"), ("dash", "-"),
        ("too-great", str(most + 1)), ("64-bits", str(2**64 + 1)),
    ] + ([("zero", "0")] if least else [])
    for kind, text in texts:
        yield defect(f"{name}-{kind}", replaced(lines, place, field, text), f"{name}: {text}")


def bad_ids(name, lines, place, field, count=16):
    for kind, text in [
        ("short", b64(fixed("id", count - 1))), ("long", b64(fixed("id", count + 1))), ("empty", ""),
        ("padded", lines[place].split(" ")[field] + "=="), ("word", "none"),
    ]:
        yield defect(f"{name}-{kind}", replaced(lines, place, field, text), f"{name}: it is {kind}")


def bad_words(name, lines, place, *fields):
    for field in fields:
        word = lines[place].split(" ")[field]
        yield defect(f"{name}-{word}", replaced(lines, place, field, word + "s"), f"another word stands for {word}")


def files():
    yield from blanks("file", DATABASE, 9)
    yield from bad_words("file", DATABASE, 10, 2, 4, 6, 8)
    yield from bad_numbers("file-key", DATABASE, 9, 3, 2**32 - 1, 1)
    yield from bad_numbers("file-seen", DATABASE, 9, 5, 2**63 - 1)
    yield from bad_ids("file-id", DATABASE, 9, 1)
    yield from bad_ids("file-from", DATABASE, 10, 9)
    yield from blanks("own", DATABASE, 11)
    yield from bad_words("own", DATABASE, 11, 2, 4, 6, 8, 10)
    yield from bad_ids("own-salt", DATABASE, 11, 5)
    yield defect("own-alone", with_line(DATABASE, 9, FILES[1].split(" seen")[0] + " own"), "the salt and the rest are missing")
    yield defect("own-dash", replaced(DATABASE, 11, 5, "-"), "the salt is a dash")
    yield defect("own-twice", with_line(DATABASE, 11, FILES[3].replace(" own ", f" own {SALT} own ")), "the salt stands twice")
    yield defect("own-late", with_line(DATABASE, 9, FILES[1] + f" own {SALT}"), "the salt stands at the end")
    yield defect("own-without-word", with_line(DATABASE, 11, FILES[3].replace(" own ", " ")), "a salt without its word")
    yield defect("file-from-nothing", replaced(DATABASE, 10, 9, "-"), "the origin is a dash")
    yield defect("file-from-alone", with_line(DATABASE, 9, FILES[1] + " from"), "the origin is missing")


def sealed():
    yield from blanks("sealed", DATASET, 7)
    yield from blanks("sealed-from", DATASET, 8)
    yield from bad_words("sealed", DATASET, 8, 2, 4, 6, 9, 11)
    yield from bad_numbers("sealed-seen", DATASET, 8, 3, 2**63 - 1)
    yield from bad_numbers("sealed-changes", DATASET, 8, 7, 2**63 - 1, 1)
    yield from bad_numbers("sealed-lowest", DATASET, 8, 10, 2**32 - 1)
    yield from bad_ids("sealed-id", DATASET, 8, 1)
    yield from bad_ids("sealed-registry", DATASET, 8, 5)
    yield from bad_ids("sealed-mac", DATASET, 8, 8, 32)
    yield from bad_ids("sealed-origin", DATASET, 8, 12)
    yield defect("sealed-no-mac", replaced(DATASET, 8, 8, "-"), "there are changes and no MAC")
    yield defect("unsealed-mac", replaced(DATASET, 7, 8, CODE), "there is a MAC and no change")
    yield defect("unsealed-registry", replaced(DATASET, 7, 5, REGISTRY), "there is a registry and no change")
    yield defect("unsealed-lowest", replaced(DATASET, 7, 10, "1"), "there is a key and no change")
    lines = HEAD_4 + FIELDS[1:] + SEALED[:1]
    yield defect("unsealed-column", lines + COLUMNS[:1], "there is a column and no change")
    yield defect("unsealed-name", lines + NAMES[:1], "there is a column's name and no change")


def columns():
    yield from blanks("column", DATASET, 10)
    yield from bad_numbers("column-number", DATASET, 9, 1, 2**32 - 1, 1)
    yield from bad_numbers("column-padding", DATASET, 9, 5, 2**32 - 1)
    yield from bad_ids("column-identity", DATASET, 9, 2)
    for field, name in ((4, "mode"), (6, "state")):
        for kind, text in [("upper", "Sealed"), ("long", "a" * 33), ("dash", "a_b"), ("empty", ""), ("point", "a.b")]:
            yield defect(f"column-{name}-{kind}", replaced(DATASET, 9, field, text), f"a column's {name} is {kind}")
    for kind, text in [
        ("word", "rows id"), ("nothing", "row"), ("key-nothing", "key"), ("row-two", "row a b"), ("dash-more", "- a"),
        ("percent", "row %61"), ("empty-name", "key a "), ("point", "row a.b"), ("slash", "row a/b"),
    ]:
        line = " ".join(COLUMNS[0].split(" ")[:7] + [text])
        yield defect(f"column-key-{kind}", with_line(DATASET, 9, line), f"a column's primary key is {text}")
    for kind, text in [
        ("no-point", "movies"), ("two-points", "a.b.c"), ("no-table", ".note"), ("no-name", "movies."),
        ("lower-digits", "movies.%c3%AF"), ("needless", "movies.%61"), ("no-utf-8", "movies.%FF"),
        ("dash", "movies.a-b"), ("slash", "movies.a/b"), ("empty", ""),
    ]:
        yield defect(f"column-name-{kind}", replaced(DATASET, 9, 3, text), f"column: {text}")
        yield defect(f"name-alone-{kind}", HEAD_4 + FIELDS[1:] + OLDER[:1] + [f"column 0 - {text}"], f"column: {text}")
    yield defect("name-alone-number", replaced(DATASET, 15, 1, "5"), "a column has a number and nothing more")
    yield defect("name-alone-identity", replaced(DATASET, 15, 2, REGISTRY), "a column has an identity and no number")
    yield defect("name-alone-more", with_line(DATASET, 15, NAMES[0] + " random 0 sealed -"), "a column has a mode and no number")


def indexes():
    yield from blanks("index", DATASET, 11)
    yield from bad_numbers("index-number", DATASET, 11, 1, 2**32 - 1, 1)
    yield from bad_numbers("index-bits", DATASET, 11, 4, 256, 1)
    yield from bad_numbers("index-key", DATASET, 11, 5, 2**32 - 1, 1)
    for kind, text in [("empty", ""), ("lower-digits", "%c3%AF"), ("needless", "%61"), ("no-utf-8", "%FF"), ("point", "a.b")]:
        yield defect(f"index-name-{kind}", replaced(DATASET, 11, 2, text), f"an index's column is {text}")
    for kind, text in [("upper", "Exact"), ("long", "a" * 33), ("colon", "exact:24"), ("empty", "")]:
        yield defect(f"index-normaliser-{kind}", replaced(DATASET, 11, 3, text), f"a normaliser is {text}")


def paths():
    for kind, text, what in [
        ("empty", "", "it is empty"), ("root", "/", "the root"), ("dot", ".", "a point alone"),
        ("parent", "..", "two points alone"), ("dot-first", "./a.db", "a point at the beginning"),
        ("dot-inner", "a/./b.db", "a point"), ("dot-last", "a/.", "a point at the end"),
        ("parent-inner", "a/../b.db", "two points within"), ("parent-last", "a/..", "two points at the end"),
        ("parents", "../../a.db", "two levels up"), ("absolute-parent", "/../a.db", "above the root"),
        ("double-slash", "a//b.db", "two slashes"), ("double-root", "//a.db", "two slashes at the beginning"),
        ("last-slash", "a/", "a slash at the end"), ("dash", "a-b.db", "a dash stands for itself"),
        ("lower-digits", "%c3%BC.db", "digits are in lower case"), ("one-digit", "a%2", "a digit is missing"),
        ("needless", "%61.db", "a plain letter is spelled otherwise"), ("needless-slash", "a%2Fb.db", "so is a slash"),
        ("needless-dot", "a%2Edb", "so is a point"), ("zero", "a%00.db", "a zero byte"),
        ("colon", "file:a.db", "a colon stands for itself"), ("long", "/" + "a" * 4096, "it is 4097 bytes long"),
    ]:
        yield defect(f"path-{kind}", replaced(DATABASE, 9, 7, text), f"a path: {what}")


def counts():
    many = [f"file {b64(number.to_bytes(16, 'big'))} key 1 seen 0 at -" for number in range(1, 1026)]
    yield defect("count-1025-files", HEAD_4 + SMALL[1:] + many, "1025 databases to open")
    many = [f"sealed {b64(number.to_bytes(16, 'big'))} seen 0 registry - changes 0 - lowest 0"
            for number in range(1, 1026)]
    yield defect("count-1025-databases", HEAD_4 + FIELDS[1:] + many, "1025 databases")
    rings = [f"former {b64(fixed(f'ring {number}', 16))}" for number in range(65)]
    yield defect("count-65-rings", HEAD_4 + SMALL[1:] + rings, "65 former rings")


def macs():
    """Under the MAC of another text."""

    def tampered(name, lines, what, good):
        return Defect(f"mac-{name}", joined(lines + [mac_line(good)]), TAMPERED, what, since=SINCE)

    yield tampered("file-seen", replaced(DATABASE, 9, 5, "5"), "the epoch seen was lowered", DATABASE)
    yield tampered("file-path", replaced(DATABASE, 9, 7, "../other.db"), "a path was changed", DATABASE)
    yield tampered("own-salt", replaced(DATABASE, 11, 5, ORIGIN), "a salt was changed", DATABASE)
    yield tampered("own-removed", with_line(DATABASE, 11, FILES[3].replace(f" own {SALT}", "")), "a salt was removed", DATABASE)
    yield tampered("file-from", with_line(DATABASE, 10, FILES[2].rsplit(" ", 2)[0]), "an origin was removed", DATABASE)
    yield tampered("sealed-seen", replaced(DATASET, 8, 3, "0"), "the epoch seen was lowered", DATASET)
    yield tampered("sealed-registry", replaced(DATASET, 8, 5, "-"), "the registry's identity was removed", DATASET)
    yield tampered("sealed-lowest", replaced(DATASET, 8, 10, "2"), "the lowest key was raised", DATASET)
    yield tampered("column-removed", DATASET[:13] + DATASET[14:], "a column was removed", DATASET)
    yield tampered("column-mode", replaced(DATASET, 9, 4, "deterministic"), "a column's mode was changed", DATASET)
    yield tampered("index-removed", DATASET[:11] + DATASET[12:], "an index was removed", DATASET)
    yield tampered("index-bits", replaced(DATASET, 11, 4, "23"), "an index's bits were changed", DATASET)
    lines = signed(DATASET)
    yield Defect("sig-column-state", text_of(replaced(DATASET, 9, 6, "plaintext") + lines[-1:]), TAMPERED,
                 "what was signed says another state", since=SINCE)
