#include "faulty_vfs.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sqlcipher/sqlite3.h>
#include <unistd.h>

typedef struct {
    sqlite3_file base;
    const char *name; // SQLite keeps it as long as the file is open
    sqlite3_file *real;
} faulty_file;

static sqlite3_vfs *original;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char prefix[1024];
    int is_armed, calls, fault, at, count;
} plan;

// Whether this call fails. Counts the call.
static int fails(const char *name, int call) {
    int result = 0;
    pthread_mutex_lock(&mutex);
    if (plan.is_armed && name != NULL && (plan.calls & call) != 0 &&
        strncmp(name, plan.prefix, strlen(plan.prefix)) == 0) {
        plan.count++;
        if (plan.fault == FAULTY_ONCE) {
            result = plan.count == plan.at;
        } else {
            result = plan.count >= plan.at;
        }
        if (result && plan.fault == FAULTY_KILL) kill(getpid(), SIGKILL);
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

static sqlite3_file *real(sqlite3_file *file) { return ((faulty_file *)file)->real; }

#define FAIL(call, code)                                                                                   \
    if (fails(((faulty_file *)file)->name, call)) return code

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    FAIL(FAULTY_READ, SQLITE_IOERR_READ);
    return real(file)->pMethods->xRead(real(file), buffer, count, offset);
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    FAIL(FAULTY_WRITE, plan.fault == FAULTY_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE);
    return real(file)->pMethods->xWrite(real(file), buffer, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    FAIL(FAULTY_TRUNCATE, SQLITE_IOERR_TRUNCATE);
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    FAIL(FAULTY_SYNC, SQLITE_IOERR_FSYNC);
    return real(file)->pMethods->xSync(real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    FAIL(FAULTY_SIZE, SQLITE_IOERR_FSTAT);
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
    FAIL(FAULTY_LOCK, SQLITE_IOERR_LOCK);
    return real(file)->pMethods->xLock(real(file), level);
}

// Releasing a lock does not fail: no caller could handle that.
static int file_unlock(sqlite3_file *file, int level) {
    return real(file)->pMethods->xUnlock(real(file), level);
}

static int file_check_lock(sqlite3_file *file, int *out) {
    return real(file)->pMethods->xCheckReservedLock(real(file), out);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_features(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
    FAIL(FAULTY_SHARED, SQLITE_IOERR_SHMMAP);
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}

static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    if ((flags & SQLITE_SHM_LOCK) != 0) FAIL(FAULTY_SHARED, SQLITE_IOERR_SHMLOCK);
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int shm_unmap(sqlite3_file *file, int delete) {
    return real(file)->pMethods->xShmUnmap(real(file), delete);
}

// Version 2: without memory mapping, which the engine turns off anyway.
static const sqlite3_io_methods methods = {
    2,         file_close,    file_read,      file_write,      file_truncate, file_sync,
    file_size, file_lock,     file_unlock,    file_check_lock, file_control,  file_sector,
    file_features, shm_map,   shm_lock,       shm_barrier,     shm_unmap,     NULL,
    NULL,
};

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    faulty_file *faulty = (faulty_file *)file;
    faulty->base.pMethods = NULL;
    faulty->name = name;
    faulty->real = (sqlite3_file *)(faulty + 1);
    faulty->real->pMethods = NULL;
    if (fails(name, FAULTY_OPEN)) return SQLITE_CANTOPEN;
    int code = original->xOpen(original, name, faulty->real, flags, out);
    if (code == SQLITE_OK) faulty->base.pMethods = &methods;
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    (void)vfs;
    if (fails(name, FAULTY_DELETE)) return SQLITE_IOERR_DELETE;
    return original->xDelete(original, name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out) {
    (void)vfs;
    if (fails(name, FAULTY_ACCESS)) return SQLITE_IOERR_ACCESS;
    return original->xAccess(original, name, flags, out);
}

int faulty_vfs_install(void) {
    static sqlite3_vfs layer;
    int code = SQLITE_OK;
    pthread_mutex_lock(&mutex);
    if (original == NULL) {
        original = sqlite3_vfs_find(NULL);
        if (original == NULL) {
            code = SQLITE_ERROR;
        } else {
            // Methods that are not replaced use no file, and take the original's own data.
            layer = *original;
            layer.pNext = NULL;
            layer.zName = "fault";
            layer.szOsFile = (int)sizeof(faulty_file) + original->szOsFile;
            layer.xOpen = vfs_open;
            layer.xDelete = vfs_delete;
            layer.xAccess = vfs_access;
            code = sqlite3_vfs_register(&layer, 1);
        }
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

void faulty_vfs_arm(const char *prefix, int calls, int fault, int at) {
    pthread_mutex_lock(&mutex);
    strncpy(plan.prefix, prefix, sizeof plan.prefix - 1);
    plan.calls = calls;
    plan.fault = fault;
    plan.at = at;
    plan.count = 0;
    plan.is_armed = 1;
    pthread_mutex_unlock(&mutex);
}

int faulty_vfs_disarm(void) {
    pthread_mutex_lock(&mutex);
    int count = plan.count;
    plan.is_armed = 0;
    pthread_mutex_unlock(&mutex);
    return count;
}
