/* The command line of the peer, and the line of JSON that it answers. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SQLITE_HAS_CODEC
static const char *const peer_name = "c-sqlcipher";
#else
static const char *const peer_name = "c-sqlite";
#endif

struct workload {
    const char *name;
    const char *variants[3];
    void (*run)(const struct options *, struct outcome *);
};

static const struct workload workloads[] = {
    /* Not compared: they prepare files, and inspect those of shells. */
    {"fill", {"default"}, run_fill},
    {"index", {"default"}, run_index},
    {"check", {"default"}, run_check},
    {"digest", {"default"}, run_digest},
    {"open", {"default"}, run_open},
    {"insert", {"static"}, run_insert},
    {"scan", {"copies", "packed"}, run_scan},
    {"point", {"transaction", "each"}, run_point},
    {"update", {"statement"}, run_update},
#ifdef SQLITE_HAS_CODEC
    {"rotate", {"rekey"}, run_rotate},
#endif
    {"verify", {"pragmas"}, run_verify},
    {"commit", {"statement"}, run_commit},
    {"concurrent", {"connections", "mutex"}, run_concurrent},
    {"blob", {"chunks"}, run_blob},
    {"migrate", {"loop"}, run_migrate},
    {"rebuild", {"hand"}, run_rebuild},
    {"fleet", {"threads"}, run_fleet},
};
enum { FIRST_COMPARED = 4 };
enum { WORKLOADS = sizeof workloads / sizeof workloads[0] };

static _Noreturn void refuse(const char *what, const char *which) {
    fprintf(stderr, "error: %s: %s\nhint: see Tests/Peers/README.md for how a peer is called\n",
            what, which);
    exit(64);
}

static int64_t number(const char *option, const char *text) {
    char *end;
    long long value = strtoll(text, &end, 10);
    if (*text == 0 || *end != 0 || value <= 0) refuse("not a number above 0", option);
    return value;
}

static void list(void) {
    printf("{\"peer\":\"%s\",\"encrypted\":%s,\"workloads\":{", peer_name,
           strcmp(peer_name, "c-sqlcipher") == 0 ? "true" : "false");
    for (int index = FIRST_COMPARED; index < WORKLOADS; index++) {
        const struct workload *workload = &workloads[index];
        printf("%s\"%s\":[\"%s\"", index > FIRST_COMPARED ? "," : "", workload->name, workload->variants[0]);
        for (int next = 1; next < 3 && workload->variants[next]; next++) {
            printf(",\"%s\"", workload->variants[next]);
        }
        printf("]");
    }
    printf("}}\n");
}

static const struct workload *find(struct options *options) {
    for (int index = 0; index < WORKLOADS; index++) {
        const struct workload *workload = &workloads[index];
        if (strcmp(workload->name, options->workload) != 0) continue;
        if (!options->variant) options->variant = workload->variants[0];
        for (int next = 0; next < 3 && workload->variants[next]; next++) {
            if (strcmp(workload->variants[next], options->variant) == 0) return workload;
        }
        refuse("no such variant", options->variant);
    }
    refuse("no such workload", options->workload);
}

static struct options parse(int count, char **arguments) {
    struct options options = {.rows = 1000000, .operations = 10000, .cache = 64 << 20};
    options.workload = arguments[1];
    for (int index = 2; index < count; index += 2) {
        const char *name = arguments[index];
        if (index + 1 == count) refuse("an option without its value", name);
        const char *value = arguments[index + 1];
        if (strcmp(name, "--path") == 0) options.path = value;
        else if (strcmp(name, "--rows") == 0) options.rows = number(name, value);
        else if (strcmp(name, "--operations") == 0) options.operations = number(name, value);
        else if (strcmp(name, "--cache") == 0) options.cache = number(name, value);
        else if (strcmp(name, "--key") == 0) options.key = value;
        else if (strcmp(name, "--corpus") == 0) options.corpus = value;
        else if (strcmp(name, "--variant") == 0) options.variant = value;
        else if (strcmp(name, "--sync") == 0) {
            options.full = strcmp(value, "full") == 0;
            if (!options.full && strcmp(value, "normal") != 0) refuse("--sync", value);
        } else refuse("no such option", name);
    }
    if (!options.path) refuse("--path", "is missing");
#ifdef SQLITE_HAS_CODEC
    /* SQLCipher would take anything else for a passphrase. */
    if (!options.key || strlen(options.key) != 64
        || strspn(options.key, "0123456789abcdefABCDEF") != 64) {
        refuse("--key", "64 hexadecimal digits are required");
    }
#endif
    return options;
}

static void print_library(void) {
#ifdef SQLITE_HAS_CODEC
    sqlite3 *database;
    sqlite3_stmt *statement;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK) die(database, "open");
    check(sqlite3_key_v2(database, "main", "library", 7), database, "key");
    statement = prepare(database, "PRAGMA cipher_version");
    if (sqlite3_step(statement) != SQLITE_ROW) die(database, "no SQLCipher is linked");
    printf("SQLCipher %s, ", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(database);
#endif
    printf("SQLite %s", sqlite3_libversion());
}

int main(int count, char **arguments) {
    if (count < 2) refuse("no workload", "name one, or list");
    if (strcmp(arguments[1], "list") == 0) {
        list();
        return 0;
    }
    struct options options = parse(count, arguments);
    const struct workload *workload = find(&options);
    struct outcome outcome = {.checksum = hash_start()};
    workload->run(&options, &outcome);
    int64_t peak = peak_kib();
    printf("{\"peer\":\"%s\",\"workload\":\"%s\",\"variant\":\"%s\",\"operations\":%lld,"
           "\"cpuNanoseconds\":%lld,\"wallNanoseconds\":%lld,\"checksum\":\"%016llx\","
           "\"peakKiB\":%lld,\"library\":\"",
           peer_name, workload->name, options.variant, (long long)outcome.operations,
           (long long)outcome.cpu, (long long)outcome.wall, (unsigned long long)outcome.checksum,
           (long long)peak);
    print_library();
    printf("\",\"settings\":{\"pageSize\":%lld,\"cacheBytes\":%lld,\"journal\":\"%s\","
           "\"synchronous\":\"%s\"}",
           (long long)outcome.settings.page_size, (long long)outcome.settings.cache_bytes,
           outcome.settings.journal, outcome.settings.synchronous);
    if (outcome.is_activity_told) {
        printf(",\"bytesWritten\":%lld,\"syncs\":%lld", (long long)outcome.bytes_written,
               (long long)outcome.syncs);
    }
    printf("}\n");
    return 0;
}
