/* Operations on a whole file by SQLCipher's and SQLite's own means. */
#include "peer.h"

#include <string.h>

#ifdef SQLITE_HAS_CODEC
/* The key is changed in place, page by page, in one transaction. */
void run_rotate(const struct options *options, struct outcome *outcome) {
    struct options after = *options;
    after.key = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";
    if (strcmp(after.key, options->key) == 0) die(NULL, "the new key is the old one");
    char keyspec[KEYSPEC];
    spell_key(&after, keyspec);
    sqlite3 *database = open_database(options, 0);
    read_settings(database, &outcome->settings);
    outcome->operations = options->rows;
    clock_start();
    check(sqlite3_rekey_v2(database, "main", keyspec, KEYSPEC - 1), database, "rekey");
    check(sqlite3_close(database), NULL, "close");
    clock_stop(outcome);
    hash_table(&after, &outcome->checksum);
}
#endif

/* A PRAGMA that reports one defect per row. */
static void find_nothing(sqlite3 *database, const char *pragma, const char *all_is_well) {
    sqlite3_stmt *statement = prepare(database, pragma);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        if (!all_is_well || !text || strcmp(text, all_is_well) != 0) die(NULL, text ? text : pragma);
    }
    if (code != SQLITE_DONE) die(database, pragma);
    sqlite3_finalize(statement);
}

/* The library's own checks: of each page's MAC, and of the trees. */
void run_verify(const struct options *options, struct outcome *outcome) {
    sqlite3 *database = open_database(options, 0);
    read_settings(database, &outcome->settings);
    outcome->operations = options->rows;
    clock_start();
#ifdef SQLITE_HAS_CODEC
    find_nothing(database, "PRAGMA cipher_integrity_check", NULL);
#endif
    find_nothing(database, "PRAGMA integrity_check", "ok");
    check(sqlite3_close(database), NULL, "close");
    clock_stop(outcome);
    hash_table(options, &outcome->checksum);
}
