/* Migrations in a loop that only executes: no ledger, no checks. The least that SQLite can be asked to do. */
#include "peer.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char foreign_keys_off[] = "-- foreign keys off\n";

static int is_script(const struct dirent *entry) {
    const char *ending = strrchr(entry->d_name, '.');
    return ending && strcmp(ending, ".sql") == 0;
}

static char *read_script(const char *folder, const char *name) {
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) die(NULL, path);
    long size = ftell(file);
    rewind(file);
    char *text = allocate((size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) die(NULL, path);
    text[size] = 0;
    fclose(file);
    return text;
}

struct scripts read_scripts(const struct options *options) {
    char folder[4000];
    if (!options->corpus) die(NULL, "migrations need --corpus; it");
    snprintf(folder, sizeof folder, "%s/plain", options->corpus);
    struct dirent **entries;
    struct scripts scripts = {.count = scandir(folder, &entries, is_script, alphasort)};
    if (scripts.count <= 0) die(NULL, folder);
    scripts.texts = allocate((size_t)scripts.count * sizeof *scripts.texts);
    for (int index = 0; index < scripts.count; index++) {
        scripts.texts[index] = read_script(folder, entries[index]->d_name);
        free(entries[index]);
    }
    free(entries);
    return scripts;
}

void free_scripts(struct scripts *scripts) {
    for (int index = 0; index < scripts->count; index++) free(scripts->texts[index]);
    free(scripts->texts);
}

void run_scripts(sqlite3 *database, const struct scripts *scripts) {
    execute(database, "PRAGMA foreign_keys = ON");
    for (int index = 0; index < scripts->count; index++) {
        const char *script = scripts->texts[index];
        int off = strncmp(script, foreign_keys_off, strlen(foreign_keys_off)) == 0;
        if (off) execute(database, "PRAGMA foreign_keys = OFF");
        execute(database, "BEGIN IMMEDIATE");
        execute(database, script);
        execute(database, "COMMIT");
        if (off) execute(database, "PRAGMA foreign_keys = ON");
    }
}

void run_migrate(const struct options *options, struct outcome *outcome) {
    clock_start();
    sqlite3 *database = open_database(options, 1);
    struct scripts scripts = read_scripts(options);
    run_scripts(database, &scripts);
    read_settings(database, &outcome->settings);
    check(sqlite3_close(database), NULL, "close");
    clock_stop(outcome);
    outcome->operations = scripts.count;
    free_scripts(&scripts);
    hash_schema(options, &outcome->checksum);
}

/* Adds an index to the table of `fill`, which a rebuild has to make again. */
static void make_index(const struct options *options, struct settings *settings) {
    sqlite3 *database = open_database(options, 0);
    read_settings(database, settings);
    execute(database, index_sql);
    check(sqlite3_close(database), NULL, "close");
}

void run_index(const struct options *options, struct outcome *outcome) {
    clock_start();
    make_index(options, &outcome->settings);
    clock_stop(outcome);
    outcome->operations = options->rows;
    hash_table(options, &outcome->checksum);
    hash_schema(options, &outcome->checksum);
}

/* Reads the file's content: rows of `fill` and schema, or the schema alone. */
void run_digest(const struct options *options, struct outcome *outcome) {
    clock_start();
    sqlite3 *database = open_database(options, 0);
    read_settings(database, &outcome->settings);
    check(sqlite3_close(database), NULL, "close");
    hash_schema(options, &outcome->checksum);
    clock_stop(outcome);
    outcome->operations = 1;
}

void run_check(const struct options *options, struct outcome *outcome) {
    hash_table(options, &outcome->checksum);
    run_digest(options, outcome);
}

/* SQLite's own twelve steps ("Making Other Kinds Of Table Schema Changes"), by hand. */
void run_rebuild(const struct options *options, struct outcome *outcome) {
    make_index(options, &outcome->settings);
    clock_start();
    sqlite3 *database = open_database(options, 0);
    execute(database,
        "PRAGMA foreign_keys = OFF;"
        "BEGIN IMMEDIATE;"
        "CREATE TABLE new_record (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,"
        " c INTEGER NOT NULL, d INTEGER NOT NULL, ratio REAL NOT NULL, first TEXT NOT NULL,"
        " second TEXT NOT NULL, bytes BLOB NOT NULL, CHECK (length(bytes) = 64));"
        "INSERT INTO new_record SELECT * FROM record;"
        "DROP TABLE record;"
        "ALTER TABLE new_record RENAME TO record;");
    execute(database, index_sql);
    execute(database, "COMMIT; PRAGMA foreign_keys = ON");
    read_settings(database, &outcome->settings);
    check(sqlite3_close(database), NULL, "close");
    clock_stop(outcome);
    outcome->operations = options->rows;
    hash_table(options, &outcome->checksum);
    hash_schema(options, &outcome->checksum);
}
