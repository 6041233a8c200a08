"""Chunked encryption as in cells of the formats FB and FE, by the article SealedCells alone."""

import hmac

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

LABEL = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00"
CHUNK = 16_384
TAG = 16


def opened(key, message, context):
    """The plaintext; InvalidTag for anything that is not as it was sealed."""
    salt, commitment, chunks = message[:24], message[24:56], message[56:]
    derived = HKDFExpand(hashes.SHA512(), 76, LABEL + salt + context).derive(key)
    key, base, due = derived[:32], int.from_bytes(derived[32:44], "big"), derived[44:]
    if not hmac.compare_digest(due, commitment):
        raise InvalidTag
    plaintext, number, isLast = b"", 0, False
    while not isLast:
        chunk, chunks = chunks[: CHUNK + TAG], chunks[CHUNK + TAG :]
        isLast = len(chunk) < CHUNK + TAG
        if len(chunk) < TAG:
            raise InvalidTag
        nonce = (base ^ number).to_bytes(12, "big")
        plaintext += AESGCM(key).decrypt(nonce, chunk, None)
        number += 1
    return plaintext
