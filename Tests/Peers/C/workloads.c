/* The workloads of one thread. */
#include "peer.h"

#include <string.h>
#include <stdlib.h>

static void insert_all(sqlite3 *database, const struct record *records, int64_t count) {
    execute(database, "BEGIN IMMEDIATE");
    sqlite3_stmt *statement = prepare(database, insert_sql);
    for (int64_t index = 0; index < count; index++) {
        insert_record(database, statement, &records[index]);
    }
    sqlite3_finalize(statement);
    execute(database, "COMMIT");
}

void run_fill(const struct options *options, struct outcome *outcome) {
    run_insert(options, outcome);
}

void run_insert(const struct options *options, struct outcome *outcome) {
    struct record *records = make_records(options->rows);
    sqlite3 *database = open_database(options, 1);
    make_table(database);
    read_settings(database, &outcome->settings);
    outcome->operations = options->rows;
    clock_start();
    insert_all(database, records, options->rows);
    check(sqlite3_close(database), NULL, "close");
    clock_stop(outcome);
    hash_table(options, &outcome->checksum);
}

void run_open(const struct options *options, struct outcome *outcome) {
    int64_t *keys = make_keys(options->operations, options->rows);
    outcome->operations = options->operations;
    for (int64_t index = 0; index < options->operations; index++) {
        struct record record;
        clock_start();
        sqlite3 *database = open_database(options, 0);
        sqlite3_stmt *statement = prepare(database, select_one_sql);
        check(sqlite3_bind_int64(statement, 1, keys[index]), database, "bind");
        if (sqlite3_step(statement) != SQLITE_ROW) die(database, "first query");
        copy_record(statement, &record);
        sqlite3_finalize(statement);
        clock_stop(outcome);
        hash_record(&outcome->checksum, &record);
        if (index == 0) read_settings(database, &outcome->settings);
        check(sqlite3_close(database), NULL, "close");
    }
}

/* A row's texts and blob in one piece of memory: the fewest calls of malloc that C can do with. */
static void copy_packed(sqlite3_stmt *statement, struct record *record) {
    record->id = sqlite3_column_int64(statement, 0);
    record->a = sqlite3_column_int64(statement, 1);
    record->b = sqlite3_column_int64(statement, 2);
    record->c = sqlite3_column_int64(statement, 3);
    record->d = sqlite3_column_int64(statement, 4);
    record->ratio = sqlite3_column_double(statement, 5);
    const void *first = sqlite3_column_text(statement, 6);
    record->first_count = sqlite3_column_bytes(statement, 6);
    const void *second = sqlite3_column_text(statement, 7);
    record->second_count = sqlite3_column_bytes(statement, 7);
    const void *bytes = sqlite3_column_blob(statement, 8);
    record->bytes_count = sqlite3_column_bytes(statement, 8);
    char *memory = allocate(
        (size_t)record->first_count + (size_t)record->second_count + (size_t)record->bytes_count);
    record->first = memcpy(memory, first, (size_t)record->first_count);
    record->second = memcpy(memory + record->first_count, second, (size_t)record->second_count);
    record->bytes = memcpy(
        memory + record->first_count + record->second_count, bytes, (size_t)record->bytes_count);
}

void run_scan(const struct options *options, struct outcome *outcome) {
    int packed = strcmp(options->variant, "packed") == 0;
    sqlite3 *database = open_database(options, 0);
    read_settings(database, &outcome->settings);
    clock_start();
    sqlite3_stmt *statement = prepare(database, select_all_sql);
    int64_t count = 0, capacity = 1024;
    struct record *records = allocate((size_t)capacity * sizeof *records);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (count == capacity) {
            capacity *= 2;
            records = realloc(records, (size_t)capacity * sizeof *records);
            if (!records) die(NULL, "out of memory");
        }
        if (packed) copy_packed(statement, &records[count++]);
        else copy_record(statement, &records[count++]);
    }
    if (code != SQLITE_DONE) die(database, "scan");
    sqlite3_finalize(statement);
    clock_stop(outcome);
    outcome->operations = count;
    for (int64_t index = 0; index < count; index++) hash_record(&outcome->checksum, &records[index]);
    sqlite3_close(database);
}

void run_point(const struct options *options, struct outcome *outcome) {
    int each = strcmp(options->variant, "each") == 0;
    int64_t *keys = make_keys(options->operations, options->rows);
    struct record *records = allocate((size_t)options->operations * sizeof *records);
    sqlite3 *database = open_database(options, 0);
    read_settings(database, &outcome->settings);
    outcome->operations = options->operations;
    clock_start();
    sqlite3_stmt *statement = prepare(database, select_one_sql);
    if (!each) execute(database, "BEGIN");
    for (int64_t index = 0; index < options->operations; index++) {
        /* Outside a transaction a statement is its own transaction, until it is reset. */
        check(sqlite3_bind_int64(statement, 1, keys[index]), database, "bind");
        if (sqlite3_step(statement) != SQLITE_ROW) die(database, "point read");
        copy_record(statement, &records[index]);
        check(sqlite3_reset(statement), database, "point read");
    }
    if (!each) execute(database, "COMMIT");
    sqlite3_finalize(statement);
    clock_stop(outcome);
    for (int64_t index = 0; index < options->operations; index++) {
        hash_record(&outcome->checksum, &records[index]);
    }
    sqlite3_close(database);
}

void run_update(const struct options *options, struct outcome *outcome) {
    int64_t *keys = make_keys(options->operations, options->rows);
    sqlite3 *database = open_database(options, 0);
    read_settings(database, &outcome->settings);
    outcome->operations = options->operations;
    clock_start();
    execute(database, "BEGIN IMMEDIATE");
    sqlite3_stmt *statement = prepare(database, "UPDATE record SET d = ? WHERE id = ?");
    for (int64_t index = 0; index < options->operations; index++) {
        int code = sqlite3_bind_int64(statement, 1, index + 1)
            | sqlite3_bind_int64(statement, 2, keys[index]);
        check(code, database, "bind");
        if (sqlite3_step(statement) != SQLITE_DONE) die(database, "update");
        check(sqlite3_reset(statement), database, "update");
    }
    sqlite3_finalize(statement);
    execute(database, "COMMIT");
    check(sqlite3_close(database), NULL, "close");
    clock_stop(outcome);
    hash_table(options, &outcome->checksum);
}

void run_commit(const struct options *options, struct outcome *outcome) {
    struct record *records = make_records(options->operations);
    sqlite3 *database = open_database(options, 1);
    make_table(database);
    read_settings(database, &outcome->settings);
    outcome->operations = options->operations;
    clock_start();
    sqlite3_stmt *statement = prepare(database, insert_sql);
    for (int64_t index = 0; index < options->operations; index++) {
        insert_record(database, statement, &records[index]);
    }
    sqlite3_finalize(statement);
    check(sqlite3_close(database), NULL, "close");
    clock_stop(outcome);
    hash_table(options, &outcome->checksum);
}
