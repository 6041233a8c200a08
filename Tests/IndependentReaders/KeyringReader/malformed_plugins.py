"""Slots of plugins: sound ones, ones that break the grammar, and ones that do not open."""

from keyring_writer import b64, fixed
from malformed_base import (
    FILE_KEY, HEAD, KEYS, MALFORMED, NOT_OPENED, OTHER_RING, RING, SLOTS, STANZA, Defect, alone, replaced,
    text_of, with_slot,
)

SALT = fixed("salt touch", 16)
HEADER, BODY = SLOTS["plugin"]


def plugin_defects():
    yield from sound()
    yield from shapes()
    yield from names()
    yield from unopened()


def defect(name, lines, what, expected=MALFORMED):
    return Defect(f"plugin-{name}", text_of(lines), expected, what, opened_with="plugin", since="plugin")


def slot(stanza, plugin="lstest", ring=RING):
    return HEAD + ring.plugin_slot("touch", plugin, FILE_KEY, SALT, stanza) + KEYS


def sound():
    def opens(name, lines, what):
        return Defect(f"sound-{name}", text_of(lines), "opens", what, opened_with="plugin", since="plugin")

    yield opens("plugin", alone("plugin"), "one plugin slot")
    yield Defect("sound-beside-plugin", text_of(with_slot("plugin")), "opens",
                 "a plugin slot stands beside the one that opens")
    yield opens("bodyless", slot("- x"), "a stanza without a body and without arguments")
    yield opens("body-4096", slot(b64(bytes(4096)) + " x"), "a stanza's body of 4096 bytes")
    full = 8192 - len("-> plugin touch lstest  - x ") - len(b64(SALT))
    yield opens("header-8192", slot("- x " + "y" * full), "a header of 8192 bytes")
    yield opens("arguments", slot("AAAA ! ~ -> --- key sig = / \\"), "arguments of any printable characters")
    for name, plugin in [("point", "a.b"), ("symbols", "+-_"), ("digit", "1"), ("64", "p" * 64)]:
        yield opens(f"name-{name}", slot("- x", plugin), f"a plugin is named {plugin[:8]}")


def shapes():
    words = HEADER.split(" ")
    for count, what in [(3, "nothing but a name"), (4, "no salt"), (5, "no stanza"), (6, "no type")]:
        yield defect(f"fields-{count}", with_slot("plugin", header=" ".join(words[:count])),
                     f"a plugin slot has {what}")
    yield defect("double-space", with_slot("plugin", header=HEADER.replace(" lstest-", "  lstest-")),
                 "two spaces part the fields of a plugin slot")
    yield defect("space-last", with_slot("plugin", header=HEADER + " "), "a space ends a plugin slot's header")
    yield defect("tab", with_slot("plugin", header=HEADER + "\tx"), "a tab stands in an argument")
    yield defect("beyond-ascii", with_slot("plugin", header=HEADER + " \xe4"), "an argument is beyond ASCII")
    for name, salt in [("short", bytes(15)), ("long", bytes(17))]:
        yield defect(f"salt-{name}", replaced(with_slot("plugin"), 4, 4, b64(salt)), f"the salt is too {name}")
    for name, body in [
        ("padded", "AA=="), ("unused-bits", "AB"), ("one-character", "A"), ("two-dashes", "--"), ("url", "__-_"),
        ("4097", b64(bytes(4097))),
    ]:
        yield defect(f"stanza-{name}", replaced(with_slot("plugin"), 4, 5, body), f"the stanza's body is {body[:8]}")
    full = 8193 - len("-> plugin touch lstest  - x ") - len(b64(SALT))
    yield defect("header-8193", slot("- x " + "y" * full), "a header of 8193 bytes")
    yield defect("body-79", with_slot("plugin", body=b64(bytes(79))), "a plugin slot's body has 79 bytes")
    yield defect("body-81", with_slot("plugin", body=b64(bytes(81))), "a plugin slot's body has 81 bytes")


def names():
    for name, plugin in [
        ("slash", "a/b"), ("parent", "../../tmp/evil"), ("point-first", ".hidden"), ("points", ".."),
        ("upper-case", "LsTest"), ("65-characters", "p" * 65), ("semicolon", "a;b"), ("dollar", "$HOME"),
        ("backslash", "a\\b"), ("colon", "a:b"), ("star", "*"), ("absolute", "/bin/sh"),
    ]:
        yield defect(f"name-{name}", slot("- x", plugin), f"a plugin is named {plugin[:20]}")


def unopened():
    """The file key is right, and all of the text is under its MAC."""

    def closed(name, lines, what):
        return defect(name, lines, what, NOT_OPENED)

    sound = alone("plugin")
    yield closed("renamed", replaced(sound, 2, 2, "tough"), "the slot was renamed")
    yield closed("other-plugin", replaced(sound, 2, 3, "lstess"), "the plugin's name was edited")
    yield closed("salted-anew", replaced(sound, 2, 4, b64(fixed("other", 16))), "the salt is another")
    yield closed("stanza-edited", replaced(sound, 2, 5, b64(fixed("other", 32))), "the stanza's body is another")
    yield closed("stanza-emptied", replaced(sound, 2, 5, "-"), "the stanza's body was removed")
    yield closed("type-edited", replaced(sound, 2, 6, "lstest-tess"), "the stanza's type is another")
    yield closed("argument-edited", replaced(sound, 2, 7, "AAAB"), "an argument is another")
    yield closed("argument-added", HEAD + [HEADER + " x", BODY] + KEYS, "an argument was added")
    yield closed("argument-removed", HEAD + [HEADER[: HEADER.rindex(" ")], BODY] + KEYS, "an argument was removed")
    yield closed("of-another-ring", slot(STANZA, ring=OTHER_RING), "the slot is another ring's")
    taken = RING.salted_slot("keyfile", "touch", FILE_KEY * 2, SALT)
    edited = f"-> plugin touch lstest {b64(SALT)} - x"
    yield closed("was-key-file", HEAD + [edited, taken[1]] + KEYS, "a key-file slot was made a plugin's")
