"""Writes keyrings in which every random value is fixed. For examples and tests: never for a live keyring."""

import base64
import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from read_keyring import hkdf, raw, scrypt, x25519, x25519_public, xaes_key

# The identity of age's published test vectors (C2SP/CCTV).
IDENTITY = "AGE-SECRET-KEY-1XMWWC06LY3EE5RYTXM9MFLAZ2U56JJJ36S0MYPDRWSVLUL66MV4QX3S7F6"


def b64(data):
    return base64.b64encode(data).decode().rstrip("=")


def fixed(label, count=32):
    """Bytes that differ by label and are the same whenever the script runs."""
    return hashlib.shake_256(label.encode()).digest(count)


class Ring:
    """A ring key and what is wrapped under it."""

    def __init__(self, ring_id, ring_key):
        self.id, self.key = ring_id, ring_key

    def slot(self, header, slot_secret, salt):
        """Both lines of a slot."""
        line = header.encode()
        derived = hkdf(slot_secret, salt, b"slot/1" + self.id + line, 64)
        body = derived[32:] + AESGCM(derived[:32]).encrypt(bytes(12), self.key, line)
        return [header, b64(body)]

    def salted_slot(self, kind, name, secret, salt, variable=None):
        """A slot of any type but x25519."""
        words = ["->", kind, name] + ([variable] if variable else []) + [b64(salt)]
        if kind == "scrypt":
            return self.slot(" ".join(words + ["14", "8", "1"]), scrypt(secret, salt, 14), salt)
        return self.slot(" ".join(words), secret, salt)

    def plugin_slot(self, name, plugin, file_key, salt, stanza):
        """A slot with the stanza (body, type and arguments as in the header) that wraps the file key."""
        return self.slot(f"-> plugin {name} {plugin} {b64(salt)} {stanza}", file_key, salt)

    def x25519_slot(self, name, recipient, ephemeral):
        share = x25519_public(ephemeral)
        return self.x25519_slot_with(name, recipient, share, x25519(ephemeral, recipient))

    def x25519_slot_with(self, name, recipient, share, shared, tag=None):
        tag = tag or hashlib.sha256(recipient).digest()[:8]
        return self.slot(f"-> x25519 {name} {b64(share)} {b64(tag)}", shared, share + recipient)

    def key_line(self, kind, version, state, day, material, nonce, commitment=None):
        commitment = commitment or hkdf(material, b"", b"commit")
        line = f"key {kind} {version} {state} {day} {b64(commitment)}"
        if state == "destroyed":
            return f"{line} -"
        key = xaes_key(hkdf(self.key, self.id, b"wrap/1"), nonce)
        sealed = AESGCM(key).encrypt(nonce[12:], material, self.id + line.encode())
        return f"{line} {b64(nonce + sealed)}"

    def mac(self, text):
        return hmac.digest(hkdf(self.key, self.id, b"mac/1"), text, "sha256")

    def finish(self, lines):
        """The lines above the MAC as a whole file."""
        above = joined(lines)
        return above + f"--- {b64(self.mac(above))}\n".encode()


def joined(lines):
    return "".join(line + "\n" for line in lines).encode()


def signature(lines, seed):
    """The signature's line for the lines above it."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = raw(private.public_key())
    return f"sig ed25519 {b64(public)} {b64(private.sign(joined(lines)))}"
