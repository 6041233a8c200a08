// A file layer for SQLite that forwards everything to the default one, and fails, or kills the process, at a chosen
// call. Only calls on files whose path begins with the armed prefix are counted and fail, so that tests that run
// concurrently are not affected.
#ifndef LOCKSTEP_FAULTY_VFS_H
#define LOCKSTEP_FAULTY_VFS_H

// Which calls count.
enum {
    FAULTY_READ = 1,
    FAULTY_WRITE = 2,
    FAULTY_SYNC = 4,
    FAULTY_TRUNCATE = 8,
    FAULTY_OPEN = 16,
    FAULTY_LOCK = 32,
    FAULTY_SIZE = 64,
    FAULTY_SHARED = 128,
    FAULTY_DELETE = 256,
    FAULTY_ACCESS = 512,
    FAULTY_ALL = 1023
};

// The effect at the chosen call.
enum {
    FAULTY_ONCE = 0,     // an I/O error, and the next call succeeds
    FAULTY_STAYING = 1,  // I/O errors from there on
    FAULTY_FULL = 2,     // the disk is full for every write from there on
    FAULTY_KILL = 3      // SIGKILL
};

// Makes it the default layer, once; returns SQLITE_OK or SQLite's code. It stays, and forwards while not armed.
int faulty_vfs_install(void);

// From now on, call number `at`, counting from 1, of the kinds in `calls` meets `fault`.
void faulty_vfs_arm(const char *prefix, int calls, int fault, int at);

// Disarms, and returns how many calls were counted.
int faulty_vfs_disarm(void);

#endif
