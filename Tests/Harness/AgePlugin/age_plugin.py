#!/usr/bin/python3
"""An age plugin for tests, written from C2SP's age-plugin.md; it needs only Python's standard library.

Installed as age-plugin-NAME, it implements the state machines recipient-v1 and identity-v1.

    age-plugin-NAME --make SEED [MODE]   prints a recipient and an identity of 16 bytes in hexadecimal

It wraps with a secret that its recipients also contain: it keeps nothing secret, and is for tests only. MODE follows the
seed in a recipient or identity, and selects how the plugin misbehaves; see MODES at the end.
"""

import base64
import hashlib
import hmac
import os
import signal
import subprocess
import sys

NAME = os.path.basename(sys.argv[0])[len("age-plugin-"):]
DEFAULT_SEED = b"seed of no data."
ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


# Bech32 (BIP 173)


def checksum(values):
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            check ^= generator if top >> bit & 1 else 0
    return check


def expanded(prefix):
    return [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]


def bech32_encode(prefix, data):
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    values = [int(bits[i : i + 5], 2) for i in range(0, len(bits), 5)]
    end = checksum(expanded(prefix) + values + [0] * 6) ^ 1
    values += [end >> 5 * (5 - i) & 31 for i in range(6)]
    return prefix + "1" + "".join(ALPHABET[value] for value in values)


def bech32_decode(text, prefix):
    head, _, data = text.lower().rpartition("1")
    values = [ALPHABET.index(c) for c in data]
    if head != prefix or checksum(expanded(head) + values) != 1:
        raise ValueError("not of this plugin")
    bits = "".join(f"{value:05b}" for value in values[:-6])
    return bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits) // 8 * 8, 8))


def parse(text, prefix):
    """The seed and the mode that a recipient or an identity holds."""
    data = bech32_decode(text, prefix)
    return (data[:16], data[16:].decode()) if data else (DEFAULT_SEED, "")


# Stanzas


def b64(data):
    return base64.b64encode(data).decode().rstrip("=")


def unb64(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))


def raw(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
    sys.stdout.buffer.flush()


def send(*words, body=b""):
    text = b64(body)
    lines = [text[i : i + 64] for i in range(0, len(text), 64)]
    if not lines or len(lines[-1]) == 64:
        lines.append("")
    raw("-> " + " ".join(words) + "\n" + "\n".join(lines) + "\n")


def receive():
    line = sys.stdin.buffer.readline().decode()
    if not line:
        sys.exit(1)  # The client has heard enough.
    if not line.startswith("-> ") or not line.endswith("\n"):
        sys.exit("age_plugin.py: the client broke the protocol")
    text = ""
    while True:
        part = sys.stdin.buffer.readline().decode()
        if not part.endswith("\n") or len(part) > 65:
            sys.exit("age_plugin.py: the client broke the protocol")
        text += part[:-1]
        if len(part) < 65:
            return line[3:-1].split(" "), unb64(text)


def ask(*words, body=b""):
    """Sends a command and returns the client's answer."""
    send(*words, body=body)
    return receive()


def demand(expected, *words, body=b""):
    answer, data = ask(*words, body=body)
    if answer != expected.split(" ") or data:
        sys.exit(f"age_plugin.py: {expected} expected, not {answer}")


# Wrapping


def wrapped(seed, file_key):
    nonce = os.urandom(16)
    stream = hmac.digest(seed, b"wrap" + nonce, "sha256")[:16]
    sealed = bytes(a ^ b for a, b in zip(file_key, stream))
    tag = hmac.digest(seed, b"tag" + nonce + sealed, "sha256")[:16]
    return [NAME + "-test", b64(hashlib.sha256(seed).digest()[:4]), b64(nonce)], sealed + tag


def unwrapped(seed, words, body):
    if len(words) != 3 or words[0] != NAME + "-test" or words[1] != b64(hashlib.sha256(seed).digest()[:4]):
        return None
    nonce, sealed, tag = unb64(words[2]), body[:16], body[16:]
    if not hmac.compare_digest(hmac.digest(seed, b"tag" + nonce + sealed, "sha256")[:16], tag):
        return None
    return bytes(a ^ b for a, b in zip(sealed, hmac.digest(seed, b"wrap" + nonce, "sha256")))


def recipient_v1():
    recipients, file_keys = [], []
    for words, body in phase_1():
        if words[0] == "add-recipient":
            recipients.append(parse(words[1], "age1" + NAME))
        elif words[0] == "add-identity":
            recipients.append(parse(words[1], f"age-plugin-{NAME}-"))
        elif words[0] == "wrap-file-key":
            file_keys.append(body)
    for index, file_key in enumerate(file_keys):
        for seed, mode in recipients:
            words, body = wrapped(seed, file_key)
            misbehave(mode, "recipient-stanza", [str(index)] + words, body)
    send("done")


def identity_v1():
    identities, stanzas = [], []
    for words, body in phase_1():
        if words[0] == "add-identity":
            identities.append(parse(words[1], f"age-plugin-{NAME}-"))
        elif words[0] == "recipient-stanza":
            stanzas.append((words[1], words[2:], body))
    for index in sorted({stanza[0] for stanza in stanzas}):
        for seed, mode in identities:
            found = [unwrapped(seed, words, body) for i, words, body in stanzas if i == index]
            file_key = next((key for key in found if key), None)
            if file_key:
                misbehave(mode, "file-key", [index], file_key)
                break
    send("done")


def phase_1():
    while True:
        words, body = receive()
        if words[0] == "done":
            return
        yield words, body


# Misbehaving


def misbehave(mode, command, words, body):
    """Sends the result as the mode requires."""
    if mode:
        MODES[mode](command, words, body)
    else:
        demand("ok", command, *words, body=body)


def normally(command, words, body):
    demand("ok", command, *words, body=body)


def after(action):
    """Does something, and then what is expected."""

    def both(command, words, body):
        action()
        normally(command, words, body)

    return both


def unknown():
    demand("unsupported", "grease-4711", "7", body=b"anything")
    demand("unsupported", "labels", "postquantum")
    demand("unsupported", "ok")


def other_machine(command, words, body):
    if command == "file-key":
        demand("unsupported", "recipient-stanza", "0", "x", body=bytes(32))
    else:
        demand("unsupported", "file-key", "0", body=bytes(16))
    normally(command, words, body)


def result(change):
    """Sends a malformed result."""

    def changed(command, words, body):
        words, body = change(words, body)
        ask(command, *words, body=body)

    return changed


def twice(command, words, body):
    ask(command, *words, body=body)
    ask(command, *words, body=body)


def error(*words):
    def report(command, result_words, body):
        demand("ok", "error", *words, body=b"the device is on fire")

    return report


def text(make):
    """Writes something that is not a stanza, and waits."""

    def write(command, words, body):
        raw(make(command, " ".join(words), b64(body)))
        signal.pause()

    return write


def ending(how):
    def end(command, words, body):
        how()

    return end


def half():
    raw("-> msg\nSGVsbG8")
    sys.exit(0)


def endless():
    while True:
        raw("-> msg\n" + ("A" * 64 + "\n") * 60 + "\n")


def unheard():
    """Sends commands without reading any answer, until the client cannot write any more."""
    while True:
        raw("-> msg\n\n")


def endless_line():
    raw("-> ")
    while True:
        raw("x" * 1000)


def silent():
    signal.pause()


def silent_with_child():
    child = subprocess.Popen(["/bin/sleep", "1000"], stdin=subprocess.DEVNULL)
    ask("msg", body=f"{os.getpid()} {child.pid}".encode())
    silent()


def lingering(command, words, body):
    ask("msg", body=str(os.getpid()).encode())
    normally(command, words, body)
    send("done")
    silent()


def deaf(command, words, body):
    os.close(0)
    send(command, *words, body=body)
    silent()


def questions():
    heard = []
    for words, body in [
        (["msg"], b"hello"),
        (["request-public"], b"which colour?"),
        (["request-secret"], b"which number?"),
        (["confirm", b64(b"go on"), b64(b"stop")], b"on?"),
        (["confirm", b64(b"fine")], b"good?"),
    ]:
        answer, data = ask(*words, body=body)
        heard.append(" ".join(answer) + (" " + data.decode() if data else ""))
    ask("msg", body="; ".join(heard).encode())


def long_secret():
    answer, data = ask("request-secret", body=b"a long one?")
    ask("msg", body=f"{answer[0]} {len(data)} {hashlib.sha256(data).hexdigest()}".encode())


def surroundings():
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    descriptors = sorted(int(name) for name in os.listdir(folder))
    # One of them belongs to the listing itself.
    ask("msg", body=" ".join(sorted(os.environ)).encode())
    ask("msg", body=f"{os.getcwd()} {descriptors[:3]} {len(descriptors)} {os.getpgid(0) == os.getpid()}".encode())


def complaint():
    print("this is standard error", file=sys.stderr, flush=True)


MODES = {
    "unknown": after(unknown), "other-machine": other_machine, "questions": after(questions),
    "long-secret": after(long_secret), "surroundings": after(surroundings), "stderr": after(complaint),
    "none": lambda *_: None, "twice": twice,
    "index-1": result(lambda w, b: (["1"] + w[1:], b)), "index-00": result(lambda w, b: (["00"] + w[1:], b)),
    "index-minus": result(lambda w, b: (["-0"] + w[1:], b)), "index-missing": result(lambda w, b: (w[1:], b)),
    "bare": result(lambda w, b: ([], b)), "argument-more": result(lambda w, b: (w + ["x"], b)),
    "body-empty": result(lambda w, b: (w, b"")), "body-short": result(lambda w, b: (w, b[:-1])),
    "body-longer": result(lambda w, b: (w, b + b"x")), "body-other": result(lambda w, b: (w, bytes(len(b)))),
    "body-4096": result(lambda w, b: (w, bytes(4096))), "body-4097": result(lambda w, b: (w, bytes(4097))),
    "argument-long": result(lambda w, b: (w + ["x" * 9000], b)),
    "argument-nearly": result(lambda w, b: (w + ["x" * 8000], b)),
    "error-recipient": error("recipient", "0"), "error-identity": error("identity", "0"),
    "error-stanza": error("stanza", "0", "0"), "error-internal": error("internal"), "error-bare": error(),
    "error-other": error("weather", "rain"),
    "padding": text(lambda c, w, b: f"-> {c} {w}\n{b}==\n"),
    "not-base64": text(lambda c, w, b: f"-> {c} {w}\n{b[:-1]}!\n"),
    "unused-bits": text(lambda c, w, b: f"-> {c} {w}\nAB\n"),
    "one-character": text(lambda c, w, b: f"-> {c} {w}\nA\n"),
    "wide": text(lambda c, w, b: f"-> {c} {w}\n{'A' * 68}\n"),
    "no-arrow": text(lambda c, w, b: "hello, I am a plugin\n"), "arrow-alone": text(lambda c, w, b: "->\n\n"),
    "two-spaces": text(lambda c, w, b: f"-> {c}  {w}\n{b}\n"), "space-last": text(lambda c, w, b: f"-> {c} \n\n"),
    "crlf": text(lambda c, w, b: f"-> {c} {w}\r\n{b}\r\n"), "bell": text(lambda c, w, b: f"-> {c} \a\n\n"),
    "latin": text(lambda c, w, b: f"-> {c} ".encode() + b"\xe4\n\n"), "nul": text(lambda c, w, b: f"-> {c}\0 {w}\n\n"),
    "confirm-bare": text(lambda c, w, b: "-> confirm\n\n"),
    "confirm-three": text(lambda c, w, b: "-> confirm YQ Yg Yw\n\n"),
    "confirm-padded": text(lambda c, w, b: "-> confirm YQ==\n\n"),
    "exit-0": ending(lambda: sys.exit(0)), "exit-3": ending(lambda: sys.exit(3)),
    "killed": ending(lambda: os.kill(os.getpid(), signal.SIGKILL)), "half": ending(half),
    "endless": ending(endless), "endless-line": ending(endless_line), "silent": ending(silent), "unheard": ending(unheard),
    "silent-with-child": ending(silent_with_child), "lingering": lingering, "deaf": deaf,
}


def main(arguments):
    if arguments[:1] == ["--make"] and len(arguments) in (2, 3):
        data = bytes.fromhex(arguments[1]) + "".join(arguments[2:]).encode()
        print(bech32_encode("age1" + NAME, data))
        print(bech32_encode(f"age-plugin-{NAME}-", data).upper())
    elif arguments == ["--age-plugin=recipient-v1"]:
        recipient_v1()
    elif arguments == ["--age-plugin=identity-v1"]:
        identity_v1()
    else:
        sys.exit("age_plugin.py: unknown arguments")


if __name__ == "__main__":
    main(sys.argv[1:])
