/* A peer in hand-written C, as Tests/Peers/README.md describes it: compiled once over SQLCipher and once over
   plain SQLite. Whatever fails ends the program with a message: there is nothing to go on with. */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>
#include <stdint.h>
#include <sqlite3.h>

enum { BLOB_BYTES = 64, CHUNK_BYTES = 65536, CHUNK_KINDS = 16 };

/* A row that owns its texts and its blob. */
struct record {
    int64_t id, a, b, c, d;
    double ratio;
    char *first, *second;
    unsigned char *bytes;
    int first_count, second_count, bytes_count;
};

struct options {
    const char *workload, *variant, *path, *key, *corpus;
    int64_t rows, operations, cache;
    int full;
};

/* The migrations of a folder, in their order. */
struct scripts {
    int count;
    char **texts;
};

/* What the pragmas say. */
struct settings {
    int64_t page_size, cache_bytes;
    char journal[16], synchronous[16];
};

/* The outcome of one run. */
struct outcome {
    int64_t operations, cpu, wall, bytes_written, syncs;
    int is_activity_told;
    uint64_t checksum;
    struct settings settings;
};

/* rows.c: the generator and the checksum. */
uint64_t draw(uint64_t *state);
struct record *make_records(int64_t count);
int64_t *make_keys(int64_t count, int64_t rows);
unsigned char *make_chunks(void);
void *allocate(size_t size);
uint64_t hash_start(void);
void hash_bytes(uint64_t *hash, const void *bytes, size_t count);
void hash_record(uint64_t *hash, const struct record *record);

/* database.c: connections and statements. */
_Noreturn void die(sqlite3 *database, const char *what);
void check(int code, sqlite3 *database, const char *what);
sqlite3 *open_database(const struct options *options, int create);
void read_settings(sqlite3 *database, struct settings *settings);
void execute(sqlite3 *database, const char *sql);
sqlite3_stmt *prepare(sqlite3 *database, const char *sql);
void make_table(sqlite3 *database);
void insert_record(sqlite3 *database, sqlite3_stmt *statement, const struct record *record);
void copy_record(sqlite3_stmt *statement, struct record *record);
void hash_table(const struct options *options, uint64_t *hash);
#ifdef SQLITE_HAS_CODEC
/* The key in SQLCipher's notation for a key without derivation. */
enum { KEYSPEC = 68 };
void spell_key(const struct options *options, char keyspec[KEYSPEC]);
#endif

/* schema.c: what a database holds. */
void hash_schema(const struct options *options, uint64_t *hash);

/* migrate.c: scripts, each in a transaction of its own. */
struct scripts read_scripts(const struct options *options);
void free_scripts(struct scripts *scripts);
void run_scripts(sqlite3 *database, const struct scripts *scripts);

extern const char *const insert_sql;
extern const char *const index_sql;
extern const char *const select_all_sql;
extern const char *const select_one_sql;

/* clock.c: the measured region, which can be entered several times. */
void clock_start(void);
void clock_stop(struct outcome *outcome);
int64_t peak_kib(void);

/* The workloads. */
void run_fill(const struct options *options, struct outcome *outcome);
void run_open(const struct options *options, struct outcome *outcome);
void run_insert(const struct options *options, struct outcome *outcome);
void run_scan(const struct options *options, struct outcome *outcome);
void run_point(const struct options *options, struct outcome *outcome);
void run_update(const struct options *options, struct outcome *outcome);
#ifdef SQLITE_HAS_CODEC
void run_rotate(const struct options *options, struct outcome *outcome);
#endif
void run_verify(const struct options *options, struct outcome *outcome);
void run_commit(const struct options *options, struct outcome *outcome);
void run_concurrent(const struct options *options, struct outcome *outcome);
void run_migrate(const struct options *options, struct outcome *outcome);
void run_rebuild(const struct options *options, struct outcome *outcome);
void run_index(const struct options *options, struct outcome *outcome);
void run_digest(const struct options *options, struct outcome *outcome);
void run_check(const struct options *options, struct outcome *outcome);
void run_fleet(const struct options *options, struct outcome *outcome);
void run_blob(const struct options *options, struct outcome *outcome);

#endif
