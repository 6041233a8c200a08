"""sqitch's program, which runs the shell sqlite3 once for each migration, on plain SQLite."""

import os
import shutil
import sqlite3
import subprocess
import tempfile
import urllib.parse

import contract

REGISTRY = "sqitch.db"


def environment(folder, request):
    """Its own configuration in place of the user's, whose files are neither read nor changed."""
    # The interpreter of this script is the shell, and the script is what the shell reads first: every
    # connection gets its pragmas, without a process in between. The shell would print their results.
    client = os.path.join(folder, "client")
    with open(client, "w") as file:
        file.write(f"#!{shutil.which('sqlite3')} -init\n.output /dev/null\n")
        file.writelines(f"{pragma};\n" for pragma in contract.pragmas(request))
        file.write(".output\n")
    os.chmod(client, 0o700)
    config = os.path.join(folder, "user.conf")
    with open(config, "w") as file:
        file.write(
            f"[user]\n\tname = Lockstep\n\temail = bench@lockstep.invalid\n"
            f"[engine \"sqlite\"]\n\tclient = {client}\n")
    others = {name: value for name, value in os.environ.items() if not name.startswith("SQITCH_")}
    return others | {
        "SQITCH_USER_CONFIG": config, "SQITCH_SYSTEM_CONFIG": os.path.join(folder, "none.conf")}


def deploy(project, path, variables):
    """Runs `sqitch deploy` in the project's folder. Its registry lies beside the file."""
    run = subprocess.run(
        ["sqitch", "--quiet", "deploy", "--no-verify", "--registry", REGISTRY, "--target",
         f"db:sqlite:{urllib.parse.quote(path)}"],
        cwd=project, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        raise SystemExit(f"error: sqitch: {run.stdout}")


def deployed(path):
    """How many migrations its registry lists; when quiet, it does not print the number."""
    books = os.path.join(os.path.dirname(path), REGISTRY)
    if not os.path.exists(books):
        return 0
    database = sqlite3.connect(books)
    count = database.execute("SELECT count(*) FROM changes").fetchone()[0]
    database.close()
    return count


def settings(folder, variables):
    """The settings of a connection of the shell, recorded by a migration of a separate database."""
    project, path = os.path.join(folder, "aside"), os.path.join(folder, "aside.db")
    os.makedirs(os.path.join(project, "deploy"))
    files = {
        "sqitch.conf": "[core]\n\tengine = sqlite\n",
        "sqitch.plan": "%syntax-version=1.0.0\n%project=aside\n\n"
                       "note 2020-01-01T00:00:00Z Lockstep <bench@lockstep.invalid>\n",
        "deploy/note.sql": contract.NOTE,
    }
    for name, content in files.items():
        with open(os.path.join(project, name), "w") as file:
            file.write(content)
    deploy(project, path, variables)
    return contract.noted(path)


def migrate(request):
    # sqitch is started in another folder.
    path = os.path.abspath(request.path)
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(folder, request)
        used = settings(folder, variables)
        before = deployed(path)
        with contract.Clock() as clock:
            deploy(f"{request.corpus}/sqitch", path, variables)
    return clock, deployed(path) - before, contract.digest(path), used


def again(request):
    # Its own process is what counts, not this one.
    clock, count, checksum, used = migrate(request)
    assert count == 0, f"{count} migrations were not applied yet"
    return clock, 1, checksum, used


def library():
    def version(*command):
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout

    return (f"sqitch {version('sqitch', '--version').split()[-1]}, "
            f"the shell sqlite3, SQLite {version('sqlite3', '-version').split()[0]}")


contract.run("sqitch", False, library, {"migrate": {"folder": migrate}, "rerun": {"folder": again}})
