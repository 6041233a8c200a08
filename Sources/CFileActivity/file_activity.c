/* For syscall(). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "file_activity.h"

#ifdef __linux__
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int64_t syncs;

/* A program's own functions come before those of the C library, for the libraries that it loads as well: so
   these two are what SQLite calls. They are weak, so that tests can put others there that fail. */
__attribute__((weak)) int fsync(int file) {
    atomic_fetch_add_explicit(&syncs, 1, memory_order_relaxed);
    return (int)syscall(SYS_fsync, file);
}

__attribute__((weak)) int fdatasync(int file) {
    atomic_fetch_add_explicit(&syncs, 1, memory_order_relaxed);
    return (int)syscall(SYS_fdatasync, file);
}

int64_t file_activity_syncs(void) { return atomic_load_explicit(&syncs, memory_order_relaxed); }

int64_t file_activity_bytes_written(void) {
    char text[512];
    int file = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return -1;
    text[count] = 0;
    const char *line = strstr(text, "wchar: ");
    return line ? strtoll(line + strlen("wchar: "), NULL, 10) : -1;
}
#else
int64_t file_activity_syncs(void) { return -1; }
int64_t file_activity_bytes_written(void) { return -1; }
#endif
