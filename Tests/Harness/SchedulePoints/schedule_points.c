#include "schedule_points.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sqlcipher/sqlite3.h>

typedef struct {
    sqlite3_file base;
    const char *name; // SQLite keeps it as long as the file is open
    sqlite3_file *real;
} seen_file;

static sqlite3_vfs *original;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char prefix[1024];
    int is_armed, at, count;
    void (*visit)(void);
} plan;

void schedule_point(void) {
    void (*visit)(void) = NULL;
    pthread_mutex_lock(&mutex);
    if (plan.is_armed) {
        plan.count++;
        if (plan.count == plan.at) {
            visit = plan.visit;
            plan.is_armed = 0;
        }
    }
    pthread_mutex_unlock(&mutex);
    if (visit == NULL) return;
    visit();
    pthread_mutex_lock(&mutex);
    plan.is_armed = 1;
    pthread_mutex_unlock(&mutex);
}

static void visit_named(const char *name) {
    if (plan.is_armed && name != NULL && strncmp(name, plan.prefix, strlen(plan.prefix)) == 0) schedule_point();
}

static sqlite3_file *real(sqlite3_file *file) { return ((seen_file *)file)->real; }

#define POINT visit_named(((seen_file *)file)->name)
#define BELOW real(file)->pMethods

static int file_close(sqlite3_file *file) {
    POINT;
    return BELOW->xClose(real(file));
}
static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    POINT;
    return BELOW->xRead(real(file), buffer, count, offset);
}
static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    POINT;
    return BELOW->xWrite(real(file), buffer, count, offset);
}
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    POINT;
    return BELOW->xTruncate(real(file), size);
}
static int file_sync(sqlite3_file *file, int flags) {
    POINT;
    return BELOW->xSync(real(file), flags);
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    POINT;
    return BELOW->xFileSize(real(file), size);
}
static int file_lock(sqlite3_file *file, int level) {
    POINT;
    return BELOW->xLock(real(file), level);
}
static int file_unlock(sqlite3_file *file, int level) {
    POINT;
    return BELOW->xUnlock(real(file), level);
}
static int file_check_lock(sqlite3_file *file, int *out) { return BELOW->xCheckReservedLock(real(file), out); }
static int file_control(sqlite3_file *file, int operation, void *argument) {
    POINT;
    return BELOW->xFileControl(real(file), operation, argument);
}
static int file_sector(sqlite3_file *file) { return BELOW->xSectorSize(real(file)); }
static int file_features(sqlite3_file *file) { return BELOW->xDeviceCharacteristics(real(file)); }
static int shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
    POINT;
    return BELOW->xShmMap(real(file), page, size, extend, out);
}
static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    POINT;
    return BELOW->xShmLock(real(file), offset, count, flags);
}
static void shm_barrier(sqlite3_file *file) { BELOW->xShmBarrier(real(file)); }
static int shm_unmap(sqlite3_file *file, int delete) {
    POINT;
    return BELOW->xShmUnmap(real(file), delete);
}
static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **out) {
    return BELOW->xFetch(real(file), offset, count, out);
}
static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
    POINT;
    return BELOW->xUnfetch(real(file), offset, page);
}

static const sqlite3_io_methods methods = {
    3,         file_close, file_read,     file_write,      file_truncate, file_sync,   file_size,
    file_lock, file_unlock, file_check_lock, file_control, file_sector,   file_features, shm_map,
    shm_lock,  shm_barrier, shm_unmap,    file_fetch,      file_unfetch,
};

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    seen_file *seen = (seen_file *)file;
    seen->base.pMethods = NULL;
    seen->name = name;
    seen->real = (sqlite3_file *)(seen + 1);
    seen->real->pMethods = NULL;
    visit_named(name);
    int code = original->xOpen(original, name, seen->real, flags, out);
    if (code == SQLITE_OK) seen->base.pMethods = &methods;
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    (void)vfs;
    visit_named(name);
    return original->xDelete(original, name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out) {
    (void)vfs;
    visit_named(name);
    return original->xAccess(original, name, flags, out);
}

// No sleep: the event that the caller waits for happens only afterwards.
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return microseconds;
}

int schedule_points_install(void) {
    static sqlite3_vfs layer;
    if (original != NULL) return SQLITE_OK;
    original = sqlite3_vfs_find(NULL);
    if (original == NULL) return SQLITE_ERROR;
    // Methods that are not replaced use no file, and take the original's own data.
    layer = *original;
    layer.pNext = NULL;
    layer.zName = "schedule";
    layer.szOsFile = (int)sizeof(seen_file) + original->szOsFile;
    layer.xOpen = vfs_open;
    layer.xDelete = vfs_delete;
    layer.xAccess = vfs_access;
    layer.xSleep = vfs_sleep;
    return sqlite3_vfs_register(&layer, 1);
}

void schedule_points_arm(const char *prefix, int at, void (*visit)(void)) {
    pthread_mutex_lock(&mutex);
    strncpy(plan.prefix, prefix, sizeof plan.prefix - 1);
    plan.at = at;
    plan.count = 0;
    plan.visit = visit;
    plan.is_armed = 1;
    pthread_mutex_unlock(&mutex);
}

int schedule_points_disarm(void) {
    pthread_mutex_lock(&mutex);
    int count = plan.count;
    plan.is_armed = 0;
    pthread_mutex_unlock(&mutex);
    return count;
}
