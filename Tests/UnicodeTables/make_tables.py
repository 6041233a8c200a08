"""Writes Sources/Lockstep/Fields/UnicodeTables.swift: what Unicode 15.0 says of letter case and of composed characters.

    python3.12 make_tables.py > ../../Sources/Lockstep/Fields/UnicodeTables.swift

Blind indexes were computed with these tables: they are never made from another version of Unicode. A newer one would be
another rule, under another name. Python 3.12 has the data of 15.0; any other is refused.
"""

import sys
import unicodedata

SCALARS = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
WIDTH = 92

HEAD = """\
// Made by Tests/UnicodeTables/make_tables.py from the data of Unicode 15.0. Never made anew from another version:
// the tokens of blind indexes depend on it.
//
// Numbers to the base 36, with spaces between them. What grows from entry to entry is written as the difference.

/// What ``UnicodeText`` is computed from.
enum UnicodeTables {
"""


def base36(number):
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return text or "0"


def swift(name, comment, numbers):
    lines = [""]
    for number in numbers:
        word = base36(number)
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    body = "\n".join("        " + line for line in lines)
    return f'    /// {comment}\n    static let {name} = """\n{body}\n        """\n'


def runs(codes, follows):
    """Cuts ascending items into runs whose neighbours `follows` each other."""
    found = []
    for item in codes:
        if found and follows(found[-1], item):
            found[-1].append(item)
        else:
            found.append([item])
    return found


def assigned():
    codes = [c for c in SCALARS if unicodedata.category(chr(c)) != "Cn"]
    previous = 0
    for run in runs(codes, lambda run, c: c == run[-1] + 1):
        yield from (run[0] - previous, len(run))
        previous = run[-1]


def combining():
    codes = [(c, unicodedata.combining(chr(c))) for c in SCALARS if unicodedata.combining(chr(c))]
    previous = 0
    for run in runs(codes, lambda run, c: c == (run[-1][0] + 1, run[-1][1])):
        yield from (run[0][0] - previous, len(run), run[0][1])
        previous = run[-1][0]


def simple_folds():
    folds = [(c, chr(c).casefold()) for c in SCALARS]
    folds = [(c, ord(f)) for c, f in folds if len(f) == 1 and ord(f) != c]

    def follows(run, item):
        step = item[0] - run[-1][0]
        return (
            step in (1, 2)
            and (len(run) == 1 or step == run[1][0] - run[0][0])
            and item[1] - item[0] == run[0][1] - run[0][0]
        )

    previous = 0
    for run in runs(folds, follows):
        step = run[1][0] - run[0][0] if len(run) > 1 else 1
        yield from (run[0][0] - previous, len(run), step, run[0][1])
        previous = run[-1][0]


def full_folds():
    previous = 0
    for code in SCALARS:
        fold = chr(code).casefold()
        if len(fold) > 1:
            yield from (code - previous, len(fold), *map(ord, fold))
            previous = code


def decompositions(is_composed):
    previous = 0
    for code in SCALARS:
        parts = unicodedata.decomposition(chr(code)).split()
        if not parts or parts[0].startswith("<"):
            continue
        # What decomposes into two and is never composed again is like what decomposes into one.
        if (unicodedata.normalize("NFC", chr(code)) == chr(code)) != is_composed:
            continue
        first, second = [int(part, 16) for part in (parts + ["0"])[:2]]
        yield from (code - previous, first, second)
        previous = code


if unicodedata.unidata_version != "15.0.0":
    sys.exit(f"this Python has the data of Unicode {unicodedata.unidata_version}; take Python 3.12")
print(
    HEAD
    + "\n".join(
        [
            swift("assigned", "What is assigned: beyond the last one, how many.", assigned()),
            swift("combining", "Combining classes: beyond the last one, how many, class.", combining()),
            swift(
                "simpleFolds",
                "Case folding to one: beyond the last one, how many, step, what the first becomes.",
                simple_folds(),
            ),
            swift("fullFolds", "Case folding to several: beyond the last, how many, which.", full_folds()),
            swift("composed", "Pairs that are composed: beyond the last, first, second.", decompositions(True)),
            swift(
                "decomposed",
                "What is decomposed for good: beyond the last, first, second or 0.",
                decompositions(False),
            ),
        ]
    )
    + "}"
)
