/* Connections with the compared settings, statements, and rows in and out of them. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const insert_sql = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
const char *const index_sql = "CREATE INDEX record_by_c ON record (c)";
const char *const select_all_sql =
    "SELECT id, a, b, c, d, ratio, first, second, bytes FROM record ORDER BY id";
const char *const select_one_sql =
    "SELECT id, a, b, c, d, ratio, first, second, bytes FROM record WHERE id = ?";

_Noreturn void die(sqlite3 *database, const char *what) {
    fprintf(stderr, "error: %s: %s\n", what, database ? sqlite3_errmsg(database) : "failed");
    exit(1);
}

void check(int code, sqlite3 *database, const char *what) {
    if (code != SQLITE_OK) die(database, what);
}

void execute(sqlite3 *database, const char *sql) {
    check(sqlite3_exec(database, sql, NULL, NULL, NULL), database, sql);
}

sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL),
          database, sql);
    return statement;
}

#ifdef SQLITE_HAS_CODEC
void spell_key(const struct options *options, char keyspec[KEYSPEC]) {
    snprintf(keyspec, KEYSPEC, "x'%s'", options->key);
}
#endif

sqlite3 *open_database(const struct options *options, int create) {
    sqlite3 *database;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(options->path, &database, flags, NULL) != SQLITE_OK) die(database, "open");
#ifdef SQLITE_HAS_CODEC
    char keyspec[KEYSPEC];
    spell_key(options, keyspec);
    check(sqlite3_key_v2(database, "main", keyspec, KEYSPEC - 1), database, "key");
#endif
    sqlite3_busy_timeout(database, 60000);
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA cache_size = -%lld", (long long)options->cache / 1024);
    execute(database, pragma);
    if (create) execute(database, "PRAGMA journal_mode = WAL");
    execute(database, options->full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    return database;
}

static int64_t pragma_number(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement = prepare(database, sql);
    if (sqlite3_step(statement) != SQLITE_ROW) die(database, sql);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

void read_settings(sqlite3 *database, struct settings *settings) {
    settings->page_size = pragma_number(database, "PRAGMA page_size");
    int64_t cache = pragma_number(database, "PRAGMA cache_size");
    settings->cache_bytes = cache < 0 ? -cache * 1024 : cache * settings->page_size;
    int64_t synchronous = pragma_number(database, "PRAGMA synchronous");
    snprintf(settings->synchronous, sizeof settings->synchronous, "%s",
             synchronous == 2 ? "full" : synchronous == 1 ? "normal" : "other");
    sqlite3_stmt *statement = prepare(database, "PRAGMA journal_mode");
    if (sqlite3_step(statement) != SQLITE_ROW) die(database, "PRAGMA journal_mode");
    snprintf(settings->journal, sizeof settings->journal, "%s",
             (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
}

void make_table(sqlite3 *database) {
    execute(database,
            "CREATE TABLE record (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,"
            " c INTEGER NOT NULL, d INTEGER NOT NULL, ratio REAL NOT NULL, first TEXT NOT NULL,"
            " second TEXT NOT NULL, bytes BLOB NOT NULL)");
}

static void bind_record(sqlite3_stmt *statement, const struct record *record) {
    int code = sqlite3_bind_int64(statement, 1, record->id)
        | sqlite3_bind_int64(statement, 2, record->a)
        | sqlite3_bind_int64(statement, 3, record->b)
        | sqlite3_bind_int64(statement, 4, record->c)
        | sqlite3_bind_int64(statement, 5, record->d)
        | sqlite3_bind_double(statement, 6, record->ratio)
        | sqlite3_bind_text(statement, 7, record->first, record->first_count, SQLITE_STATIC)
        | sqlite3_bind_text(statement, 8, record->second, record->second_count, SQLITE_STATIC)
        | sqlite3_bind_blob(statement, 9, record->bytes, record->bytes_count, SQLITE_STATIC);
    if (code != SQLITE_OK) die(NULL, "bind");
}

void insert_record(sqlite3 *database, sqlite3_stmt *statement, const struct record *record) {
    bind_record(statement, record);
    if (sqlite3_step(statement) != SQLITE_DONE) die(database, "insert");
    check(sqlite3_reset(statement), database, "insert");
}

static void *copy_column(sqlite3_stmt *statement, int column, int *count) {
    /* The pointer first, then its length: the order that SQLite's manual asks for. A blob's bytes are a
       text's too, where the encoding is UTF-8. */
    const void *bytes = sqlite3_column_blob(statement, column);
    *count = sqlite3_column_bytes(statement, column);
    char *copy = allocate((size_t)*count + 1);
    memcpy(copy, bytes, (size_t)*count);
    copy[*count] = 0;
    return copy;
}

void copy_record(sqlite3_stmt *statement, struct record *record) {
    record->id = sqlite3_column_int64(statement, 0);
    record->a = sqlite3_column_int64(statement, 1);
    record->b = sqlite3_column_int64(statement, 2);
    record->c = sqlite3_column_int64(statement, 3);
    record->d = sqlite3_column_int64(statement, 4);
    record->ratio = sqlite3_column_double(statement, 5);
    record->first = copy_column(statement, 6, &record->first_count);
    record->second = copy_column(statement, 7, &record->second_count);
    record->bytes = copy_column(statement, 8, &record->bytes_count);
}

void hash_table(const struct options *options, uint64_t *hash) {
    sqlite3 *database = open_database(options, 0);
    sqlite3_stmt *statement = prepare(database, select_all_sql);
    struct record record;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        copy_record(statement, &record);
        hash_record(hash, &record);
        free(record.first);
        free(record.second);
        free(record.bytes);
    }
    if (code != SQLITE_DONE) die(database, "read again");
    sqlite3_finalize(statement);
    sqlite3_close(database);
}
