/* What a database holds after migrations, hashed as Tests/Peers/README.md says. */
#include "peer.h"

#include <stdio.h>
#include <string.h>

static int is_book(const char *name) {
    static const char *const books[] = {"sqlite_", "lockstep_", "gorp_migrations", "_yoyo_",
                                        "yoyo_lock", "alembic_version"};
    for (size_t index = 0; index < sizeof books / sizeof books[0]; index++) {
        if (strncmp(name, books[index], strlen(books[index])) == 0) return 1;
    }
    return 0;
}

static void hash_text(uint64_t *hash, const char *text, int plain) {
    for (; *text; text++) {
        if (plain && strchr("\t\n\r \"", *text)) continue;
        hash_bytes(hash, text, 1);
    }
    hash_bytes(hash, "", 1);
}

static void hash_count(sqlite3 *database, uint64_t *hash, const char *table) {
    char *sql = sqlite3_mprintf("SELECT count(*) FROM \"%w\"", table);
    if (!sql) die(NULL, "out of memory");
    sqlite3_stmt *statement = prepare(database, sql);
    if (sqlite3_step(statement) != SQLITE_ROW) die(database, sql);
    uint64_t count = (uint64_t)sqlite3_column_int64(statement, 0);
    unsigned char bytes[8];
    for (int byte = 0; byte < 8; byte++) bytes[byte] = (unsigned char)(count >> (8 * byte));
    hash_bytes(hash, bytes, 8);
    sqlite3_finalize(statement);
    sqlite3_free(sql);
}

void hash_schema(const struct options *options, uint64_t *hash) {
    sqlite3 *database = open_database(options, 0);
    sqlite3_stmt *statement = prepare(database,
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name");
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (is_book((const char *)sqlite3_column_text(statement, 2))) continue;
        for (int column = 0; column < 4; column++) {
            hash_text(hash, (const char *)sqlite3_column_text(statement, column), column == 3);
        }
    }
    if (code != SQLITE_DONE) die(database, "read the schema");
    sqlite3_finalize(statement);
    statement = prepare(database,
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY type, name");
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        if (!is_book(name)) hash_count(database, hash, name);
    }
    if (code != SQLITE_DONE) die(database, "read the schema");
    sqlite3_finalize(statement);
    sqlite3_close(database);
}
