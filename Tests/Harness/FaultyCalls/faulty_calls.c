#define _GNU_SOURCE
#include "faulty_calls.h"
#include "lost_power.h"

#ifdef __linux__

// Undefined, because with it the header replaces the names below.
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char prefix[PATH_MAX];
    int is_armed, fault, at, count;
} plan;

// The calls so far; of consecutive calls with the same name on the same file, only the first.
static struct {
    char text[1 << 16], call[32], path[PATH_MAX];
    size_t length;
} trace;

static void (*visitor)(void);

void faulty_calls_set_visitor(void (*visit)(void)) { visitor = visit; }

enum { GOES_ON, IS_NOTED, IS_TORN, FAILS };

static void note(const char *call, const char *path) {
    if (strcmp(call, trace.call) == 0 && strcmp(path, trace.path) == 0) return;
    snprintf(trace.call, sizeof trace.call, "%s", call);
    snprintf(trace.path, sizeof trace.path, "%s", path);
    const char *name = path + strlen(plan.prefix);
    size_t room = sizeof trace.text - trace.length;
    int length = snprintf(trace.text + trace.length, room, "%d %s %s\n", plan.count, call,
                          *name == '/' ? name + 1 : ".");
    if (length > 0 && (size_t)length < room) trace.length += (size_t)length;
}

static int meets(const char *call, const char *path, int needs_space) {
    int result = GOES_ON;
    pthread_mutex_lock(&mutex);
    if (plan.is_armed && strncmp(path, plan.prefix, strlen(plan.prefix)) == 0) {
        plan.count++;
        note(call, path);
        switch (plan.fault) {
        case CALLS_KILL:
            if (plan.count == plan.at) kill(getpid(), SIGKILL);
            break;
        case CALLS_LOSE:
        case CALLS_LIE:
            if (plan.count == plan.at) {
                lost_power_undo((unsigned)plan.at);
                kill(getpid(), SIGKILL);
            }
            result = IS_NOTED;
            break;
        case CALLS_TEAR:
            if (plan.count == plan.at) result = IS_TORN;
            break;
        case CALLS_ONCE:
            if (plan.count == plan.at) result = FAILS;
            break;
        case CALLS_STAYING:
            if (plan.count >= plan.at) result = FAILS;
            break;
        case CALLS_FULL:
            if (plan.count >= plan.at && needs_space) result = FAILS;
            break;
        }
    }
    int visits = plan.is_armed && plan.fault == CALLS_VISIT &&
                 strncmp(path, plan.prefix, strlen(plan.prefix)) == 0;
    if (result == FAILS) errno = plan.fault == CALLS_FULL ? ENOSPC : EIO;
    pthread_mutex_unlock(&mutex);
    if (visits && visitor != NULL) visitor();
    return result;
}

static int meets_path(const char *call, const char *path, int needs_space) {
    if (!plan.is_armed || path[0] == '/') return meets(call, path, needs_space);
    char whole[PATH_MAX];
    long length = syscall(SYS_getcwd, whole, sizeof whole);
    if (length <= 0) return GOES_ON;
    snprintf(whole + length - 1, sizeof whole - (size_t)length, "/%s", path);
    return meets(call, whole, needs_space);
}

static int meets_file(const char *call, int file, int needs_space) {
    if (!plan.is_armed) return GOES_ON;
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length < 0) return GOES_ON;
    path[length] = 0;
    return meets(call, path, needs_space);
}

// A call with a single effect is killed before it, for every kind of kill.
#define STEP(outcome, noting)                                                                              \
    switch (outcome) {                                                                                     \
    case IS_NOTED: noting; break;                                                                          \
    case IS_TORN: kill(getpid(), SIGKILL); break;                                                          \
    case FAILS: return -1;                                                                                 \
    default: break;                                                                                        \
    }

ssize_t write(int file, const void *bytes, size_t count) {
    switch (meets_file("write", file, 1)) {
    case IS_NOTED: lost_power_writes(file, syscall(SYS_lseek, file, 0, SEEK_CUR), (long)count); break;
    case IS_TORN:
        syscall(SYS_write, file, bytes, count / 2);
        kill(getpid(), SIGKILL);
        break;
    case FAILS: return -1;
    default: break;
    }
    return syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    switch (meets_file("write", file, 1)) {
    case IS_NOTED: lost_power_writes(file, offset, (long)count); break;
    case IS_TORN:
        syscall(SYS_pwrite64, file, bytes, count / 2, offset);
        kill(getpid(), SIGKILL);
        break;
    case FAILS: return -1;
    default: break;
    }
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return pwrite64(file, bytes, count, offset);
}

int fsync(int file) {
    STEP(meets_file("sync", file, 0), if (plan.fault == CALLS_LOSE) lost_power_synced(file));
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    STEP(meets_file("sync", file, 0), if (plan.fault == CALLS_LOSE) lost_power_synced(file));
    return (int)syscall(SYS_fdatasync, file);
}

int ftruncate64(int file, off64_t size) {
    STEP(meets_file("truncate", file, 0), lost_power_writes(file, size, -1));
    return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

int fchmod(int file, mode_t mode) {
    STEP(meets_file("chmod", file, 0), (void)0);
    return (int)syscall(SYS_fchmod, file, mode);
}

int rename(const char *from, const char *to) {
    STEP(meets_path("rename", from, 0), lost_power_renames(plan.prefix, from, to));
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

// Only for paths from the current folder, as Lockstep calls it.
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    STEP(meets_path("rename", from, 0), lost_power_renames(plan.prefix, from, to));
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to) {
    STEP(meets_path("link", to, 1), lost_power_creates(to));
    return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path) {
    STEP(meets_path("unlink", path, 0), lost_power_renames(plan.prefix, NULL, path));
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

// Only a call that can create a file counts, whether or not the file exists.
static int open_file(const char *path, int flags, mode_t mode) {
    if ((flags & O_CREAT) != 0) STEP(meets_path("create", path, 1), lost_power_creates(path));
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return open_file(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return open_file(path, flags, mode);
}

void faulty_calls_arm(const char *prefix, int fault, int at) {
    pthread_mutex_lock(&mutex);
    strncpy(plan.prefix, prefix, sizeof plan.prefix - 1);
    plan.fault = fault;
    plan.at = at;
    plan.count = 0;
    plan.is_armed = 1;
    trace.length = 0;
    trace.text[0] = trace.call[0] = 0;
    pthread_mutex_unlock(&mutex);
}

int faulty_calls_disarm(void) {
    pthread_mutex_lock(&mutex);
    int count = plan.count;
    plan.is_armed = 0;
    pthread_mutex_unlock(&mutex);
    return count;
}

const char *faulty_calls_trace(void) { return trace.text; }

#else

void faulty_calls_set_visitor(void (*visit)(void)) { (void)visit; }

const char *faulty_calls_trace(void) { return ""; }

void faulty_calls_arm(const char *prefix, int fault, int at) {
    (void)prefix;
    (void)fault;
    (void)at;
}

int faulty_calls_disarm(void) { return 0; }

#endif
