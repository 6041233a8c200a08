/* Eight threads that write: each through a connection of its own, or all through one under a mutex. */
#include "peer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { WRITERS = 8 };

struct writer {
    pthread_t thread;
    sqlite3 *database;
    sqlite3_stmt *statement;
    pthread_mutex_t *mutex;
    /* New rows have the next keys, whichever writer they come from. */
    _Atomic int64_t *next;
    const struct record *records;
    int64_t count;
};

static void *write_records(void *context) {
    struct writer *writer = context;
    for (int64_t index; (index = atomic_fetch_add(writer->next, 1)) < writer->count;) {
        if (writer->mutex) pthread_mutex_lock(writer->mutex);
        insert_record(writer->database, writer->statement, &writer->records[index]);
        if (writer->mutex) pthread_mutex_unlock(writer->mutex);
    }
    return NULL;
}

void run_concurrent(const struct options *options, struct outcome *outcome) {
    int64_t each = options->operations / WRITERS;
    struct record *records = make_records(each * WRITERS);
    sqlite3 *database = open_database(options, 1);
    make_table(database);
    read_settings(database, &outcome->settings);
    outcome->operations = each * WRITERS;

    int shared = strcmp(options->variant, "mutex") == 0;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    sqlite3_stmt *statement = prepare(database, insert_sql);
    _Atomic int64_t next = 0;
    struct writer writers[WRITERS];
    for (int index = 0; index < WRITERS; index++) {
        struct writer *writer = &writers[index];
        writer->database = shared ? database : open_database(options, 0);
        writer->statement = shared ? statement : prepare(writer->database, insert_sql);
        writer->mutex = shared ? &mutex : NULL;
        writer->records = records;
        writer->next = &next;
        writer->count = each * WRITERS;
    }
    clock_start();
    for (int index = 0; index < WRITERS; index++) {
        if (pthread_create(&writers[index].thread, NULL, write_records, &writers[index]) != 0) {
            die(NULL, "pthread_create");
        }
    }
    for (int index = 0; index < WRITERS; index++) pthread_join(writers[index].thread, NULL);
    for (int index = 0; index < WRITERS && !shared; index++) {
        sqlite3_finalize(writers[index].statement);
        check(sqlite3_close(writers[index].database), NULL, "close");
    }
    sqlite3_finalize(statement);
    check(sqlite3_close(database), NULL, "close");
    clock_stop(outcome);
    hash_table(options, &outcome->checksum);
}
