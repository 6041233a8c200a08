"""Runs a command on a terminal of its own and answers its prompts.

converse.py PROMPT ANSWER [PROMPT ANSWER ...] -- COMMAND [ARGUMENT ...]

Each answer is typed once its prompt has appeared. Prints everything that the terminal showed and exits
with the command's exit code.
"""

import os
import pty
import sys

split = sys.argv.index("--")
script, command = sys.argv[1:split], sys.argv[split + 1 :]
exchanges = list(zip(script[::2], script[1::2]))

child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)

shown = b""
seen = 0
while True:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:  # how Linux reports that the other side was closed
        break
    if not chunk:
        break
    shown += chunk
    if exchanges and exchanges[0][0].encode() in shown[seen:]:
        prompt, answer = exchanges.pop(0)
        seen = len(shown)
        os.write(terminal, answer.encode())

sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.stdout.flush()
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
