"""Reads the sealed columns of a PostgreSQL server, by the articles CellsOnServers, SealedCells and ReleaseManifests alone: no
line of it was taken from Lockstep's sources.

Its arguments are folders with rows: see server_rows.py. Standard input has an object: dataset (hex), field_keys and
index_keys (hex by version) and publisher (base64).
Prints an object for each folder: registry, `holds` or `forged`; manifest, as check_manifest.py says; tokens, `hold` or
`differ`; and cells, which for each sealed column has what each row's cell opens to, in the order of the key: the type's tag and
the payload in hex, `forged`, `malformed`, `other-binding`, or `null`.
"""

import json
import re
import sys

from blind_index import token
from check_manifest import order, registry_findings, row_findings, verdict
from check_registry import check as check_registry
from read_cell import answer
from server_rows import BLOB, NULL, Server, python


def registry(server, request):
    """The rows of the registry as check_registry.py takes them."""
    dataset = request["dataset"]

    def rows(table, *columns):
        return [row[1:] for row in server.own(table, "dataset", *columns) if row[0] == dataset]

    sets = rows("lockstep_dataset", "changes", "key_version", "mac", "database", "registry", "earlier", "folded")
    return {
        "dataset": [[dataset, *values] for values in sets],
        "columns": sorted(rows("lockstep_column", "id", "table_name", "name", "mode", "padding", "state", "cursor",
                               "mac", "row_key", "identity")),
        "indexes": sorted(rows("lockstep_index", "column_id", "number", "name", "normaliser", "bits", "key_version",
                               "commitment", "mac")),
        "keys": sorted(rows("lockstep_field_key", "version", "commitment")),
    }


def unescaped(name):
    return re.sub("%(..)", lambda match: chr(int(match[1], 16)), name).encode("latin-1").decode("utf-8")


def cells(server, request, rows):
    """What the cells of each sealed column open to, and whether the tokens are those of the values."""
    found, tokens = {}, "hold"
    for number, table, name, _, _, state, _, _, row_key, identity in rows["columns"]:
        if state != "sealed":
            continue
        names = [unescaped(word) for word in row_key.split(" ")[1:]] if row_key else []
        title = server.table(table)
        key = [server.column(title, column) for column in names]
        indexes = [index for index in rows["indexes"] if index[0] == number]
        stored = server.rows(title, key + [server.column(title, name)] + [server.column(title, index[2]) for index in indexes])
        stored.sort(key=lambda row: [order(value) for value in row[: len(key)]])
        answers = []
        for row in stored:
            bound, (kind, cell), codes = row[: len(key)], row[len(key)], row[len(key) + 1 :]
            opened = "null"
            if kind != NULL:
                version = str(int.from_bytes(cell[1:5], "big"))
                opened = answer({
                    "cell": cell.hex(), "dataset": request["dataset"], "column": number, "identity": identity,
                    "field_key": request["field_keys"].get(version, ""),
                    "key": [[tag, data.hex()] for tag, data in bound] if names else None,
                })
            answers.append(opened)
            for index, code in zip(indexes, codes):
                if due(request, number, identity, index, opened) != spelled(code):
                    tokens = "differ"
        found[f"{table}.{name}"] = answers
    return found, tokens


def due(request, column, identity, index, opened):
    """The token that belongs to a value."""
    if not re.match("[0-4] ", opened):
        return "none"
    tag, payload = opened.split(" ")
    _, number, _, normaliser, bits, version, _, _ = index
    return token({
        "index_key": request["index_keys"][str(version)], "dataset": request["dataset"], "column": column,
        "identity": identity, "number": number, "bits": bits, "values": [[normaliser, int(tag), payload]],
    })


def spelled(code):
    return "none" if code[0] == NULL else code[1].hex() if code[0] == BLOB else str(python(code))


def manifest_findings(server, manifest, rows):
    found = []
    for _, changes, _, mac, *_ in rows["dataset"]:
        found = registry_findings(manifest, changes, bytes.fromhex(mac))
    if not rows["dataset"]:
        found = ["registry-missing"]
    said = [(row[0], row[5], row[1].lower(), row[2].lower()) for row in rows["columns"] if row[5] != "plaintext"]
    columns = sorted((column, "sealed", table["name"].lower(), title.lower())
                     for table in manifest["tables"] for column, title in table["column"])
    if not found and said != columns:
        found = ["registry-other"]
    for table in manifest["tables"]:
        found += table_findings(server, table, manifest["version"])
    return found


def table_findings(server, table, version):
    """What the two digests cover; the definitions of a file's schema are not on the server."""
    title = server.table(table["name"])
    if title is None:
        return ["table-missing"]
    names = table["key"] + [name for _, name in table["column"]]
    names += [name for _, _, name in table["token"]] + table["plain"]
    columns = [server.column(title, name) for name in names]
    is_other = None in columns or server.keys.get(title, []) != columns[: len(table["key"])]
    if is_other or version == 2 and set(columns) != set(server.types[title]):
        return ["table-other"]
    return row_findings(table, server.rows(title, columns), version)


def read(server, request):
    rows = registry(server, request)
    opened, tokens = cells(server, request, rows)
    texts = [text for dataset, text in server.own("lockstep_manifest", "dataset", "text") if dataset == request["dataset"]]
    return {
        "registry": check_registry({"registry": rows, "field_keys": request["field_keys"]}),
        "manifest": verdict(texts[0] if texts else None, request, lambda manifest: manifest_findings(server, manifest, rows)),
        "tokens": tokens,
        "cells": opened,
    }


request = json.load(sys.stdin)
for folder in sys.argv[1:]:
    print(json.dumps(read(Server(folder), request)))
