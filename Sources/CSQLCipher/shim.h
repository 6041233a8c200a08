// What Swift sees of SQLCipher: its own header, the keying functions that only a macro declares, and
// plain-function forms of the two variadic calls that Swift cannot import: sqlite3_config, sqlite3_db_config.
#ifndef LOCKSTEP_CSQLCIPHER_SHIM_H
#define LOCKSTEP_CSQLCIPHER_SHIM_H

#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif

#if !__has_include(<sqlcipher/sqlite3.h>)
#error "SQLCipher's header is missing. Run `make setup`, or install libsqlcipher-dev 4.5 or newer."
#endif
#include <sqlcipher/sqlite3.h>

// SQLCipher 4.5.0 carries SQLite 3.36.0; Debian 12's plain suite has SQLCipher 3.4.1 with SQLite 3.15.
#if SQLITE_VERSION_NUMBER < 3036000
#error "This SQLCipher is too old: 4.5 or newer is needed. Run `make setup` (on Debian 12 it takes 4.6 from bookworm-backports)."
#endif

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>

static inline int lockstep_db_config_flag(sqlite3 *db, int option, int value) {
    int now = -1;
    int rc = sqlite3_db_config(db, option, value, &now);
    if (rc != SQLITE_OK) return rc;
    return now == value ? SQLITE_OK : SQLITE_ERROR;
}

// -1 where SQLite does not say.
static inline int lockstep_db_config_value(sqlite3 *db, int option) {
    int now = -1;
    return sqlite3_db_config(db, option, -1, &now) == SQLITE_OK ? now : -1;
}

// SQLITE_MISUSE once SQLite has begun.
static inline int lockstep_count_memory(int isCounted) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, isCounted);
}

// How SQLite allocates. Both are SQLITE_MISUSE once SQLite has begun.
static inline int lockstep_get_memory_methods(sqlite3_mem_methods *methods) {
    return sqlite3_config(SQLITE_CONFIG_GETMALLOC, methods);
}
static inline int lockstep_set_memory_methods(const sqlite3_mem_methods *methods) {
    return sqlite3_config(SQLITE_CONFIG_MALLOC, methods);
}

static inline const char *lockstep_source_of(const void *function) {
    Dl_info info;
    return dladdr(function, &info) != 0 ? info.dli_fname : 0;
}
static inline const char *lockstep_source_of_open(void) {
    return lockstep_source_of((const void *)&sqlite3_open_v2);
}
static inline const char *lockstep_source_of_key(void) {
    return lockstep_source_of((const void *)&sqlite3_key_v2);
}

// What SQLCipher calls for every page, key and random number. The installed header does not have it: this
// is its layout in the releases 4.5.0 to 4.6.1 (src/sqlcipher.h, whose struct is the same in all of their
// tags), and only for these may it be used. 4.7.0 put other functions into the first two places and a
// link to a list at the end.
struct lockstep_crypto_provider {
    int (*activate)(void *context);
    int (*deactivate)(void *context);
    const char *(*get_provider_name)(void *context);
    int (*add_random)(void *context, void *buffer, int length);
    int (*random)(void *context, void *buffer, int length);
    int (*hmac)(void *context, int algorithm, unsigned char *key, int key_length,
                unsigned char *first, int first_length, unsigned char *second, int second_length,
                unsigned char *output);
    int (*kdf)(void *context, int algorithm, const unsigned char *passphrase, int passphrase_length,
               unsigned char *salt, int salt_length, int rounds, int key_length, unsigned char *key);
    int (*cipher)(void *context, int mode, unsigned char *key, int key_length, unsigned char *vector,
                  unsigned char *input, int length, unsigned char *output);
    const char *(*get_cipher)(void *context);
    int (*get_key_sz)(void *context);
    int (*get_iv_sz)(void *context);
    int (*get_block_sz)(void *context);
    int (*get_hmac_sz)(void *context, int algorithm);
    int (*ctx_init)(void **context);
    int (*ctx_free)(void **context);
    int (*fips_status)(void *context);
    const char *(*get_provider_version)(void *context);
};
_Static_assert(sizeof(struct lockstep_crypto_provider) == 17 * sizeof(void *), "17 functions");

// The functions that work on it are exported, though not declared. Looked up by name, a library without
// them still links. Whatever else exports such a name is not taken for SQLCipher's: hence its source.
static inline const void *lockstep_symbol(const char *name) {
    const void *symbol = dlsym(RTLD_DEFAULT, name);
    const char *source = symbol != 0 ? lockstep_source_of(symbol) : 0;
    const char *wanted = lockstep_source_of_key();
    return source != 0 && wanted != 0 && __builtin_strcmp(source, wanted) == 0 ? symbol : 0;
}
// SQLITE_ERROR where there is no such function.
static inline int lockstep_register_provider(struct lockstep_crypto_provider *provider) {
    const void *symbol = lockstep_symbol("sqlcipher_register_provider");
    if (symbol == 0) return SQLITE_ERROR;
    return ((int (*)(struct lockstep_crypto_provider *))symbol)(provider);
}
static inline const struct lockstep_crypto_provider *lockstep_registered_provider(void) {
    const void *symbol = lockstep_symbol("sqlcipher_get_provider");
    if (symbol == 0) return 0;
    return ((const struct lockstep_crypto_provider *(*)(void))symbol)();
}

#endif
