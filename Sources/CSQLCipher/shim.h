// What Swift sees of SQLCipher: its own header, the keying functions it hides behind a macro, and
// plain-function forms of the two variadic calls that Swift cannot import.
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

// Handles are opened NOMUTEX and used by one thread at a time; nothing else is configured globally.
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

#endif
