"""What the lines of a keyring are made of, by Keys/README.md alone."""

import re

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Refusal(Exception):
    """One of the classes at the end of the README."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def malformed(message):
    return Refusal("keyring-malformed", message)


def unbase64(text, count=None):
    if len(text) % 4 == 1 or any(c not in ALPHABET for c in text):
        raise malformed("no canonical base64")
    bits = "".join(f"{ALPHABET.index(c):06b}" for c in text)
    used = len(bits) // 8 * 8
    if "1" in bits[used:]:
        raise malformed("unused bits are not zero")
    data = bytes(int(bits[i : i + 8], 2) for i in range(0, used, 8))
    if not data or count is not None and len(data) != count:
        raise malformed(f"{len(data)} bytes")
    return data


def number(text, least, most):
    if not re.fullmatch("0|[1-9][0-9]*", text) or not least <= int(text) <= most:
        raise malformed("no number of the allowed range")
    return int(text)


def matches(pattern, text):
    if not re.fullmatch(pattern, text):
        raise malformed(f"“{text[:40]}”")
    return text


NAME = "[a-z0-9-]{1,32}"
VARIABLE = "[A-Za-z_][A-Za-z0-9_]{0,127}"
PLUGIN = "(?![.])[a-z0-9+._-]{1,64}"
