/* A large blob in chunks, in and out, without ever holding more than one of them. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

static sqlite3_blob *open_blob(sqlite3 *database, int writes) {
    sqlite3_blob *blob;
    check(sqlite3_blob_open(database, "main", "large", "bytes", 1, writes, &blob), database,
          "open the blob");
    return blob;
}

void run_blob(const struct options *options, struct outcome *outcome) {
    unsigned char *chunks = make_chunks();
    unsigned char *buffer = allocate(CHUNK_BYTES);
    sqlite3 *database = open_database(options, 1);
    execute(database, "CREATE TABLE large (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)");
    read_settings(database, &outcome->settings);
    outcome->operations = options->operations;
    char insert[96];
    snprintf(insert, sizeof insert, "INSERT INTO large VALUES (1, zeroblob(%lld))",
             (long long)options->operations * CHUNK_BYTES);

    clock_start();
    execute(database, "BEGIN IMMEDIATE");
    execute(database, insert);
    sqlite3_blob *blob = open_blob(database, 1);
    for (int64_t index = 0; index < options->operations; index++) {
        check(sqlite3_blob_write(blob, chunks + index % CHUNK_KINDS * CHUNK_BYTES, CHUNK_BYTES,
                                 (int)(index * CHUNK_BYTES)),
              database, "write a chunk");
    }
    check(sqlite3_blob_close(blob), database, "close the blob");
    execute(database, "COMMIT");
    blob = open_blob(database, 0);
    for (int64_t index = 0; index < options->operations; index++) {
        check(sqlite3_blob_read(blob, buffer, CHUNK_BYTES, (int)(index * CHUNK_BYTES)), database,
              "read a chunk");
    }
    check(sqlite3_blob_close(blob), database, "close the blob");
    clock_stop(outcome);

    blob = open_blob(database, 0);
    for (int64_t index = 0; index < options->operations; index++) {
        check(sqlite3_blob_read(blob, buffer, CHUNK_BYTES, (int)(index * CHUNK_BYTES)), database,
              "read a chunk");
        hash_bytes(&outcome->checksum, buffer, CHUNK_BYTES);
    }
    sqlite3_blob_close(blob);
    sqlite3_close(database);
}
