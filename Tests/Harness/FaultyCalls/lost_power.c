#define _GNU_SOURCE
#include "lost_power.h"

#ifdef __linux__

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Everything uses system calls: the C library's functions are the ones being watched.

typedef struct {
    dev_t device;
    ino_t node;
    int file; // never closed: closing would drop the process's locks on the file
} known_file;

typedef struct {
    int file; // the index of a known file; -1 once it is synced
    long offset, count;
    unsigned char *old; // the previous content, zeros where there was none
} lost_write;

typedef struct {
    char from[PATH_MAX], to[PATH_MAX], kept[PATH_MAX]; // empty where there is none
} lost_name;

static known_file files[256];
static int file_count;
static lost_write *writes;
static size_t write_count, write_room;
static lost_name names[256];
static int name_count, kept_count;

static int known(int file) {
    struct stat status;
    if (fstat(file, &status) != 0) return -1;
    for (int index = 0; index < file_count; index++) {
        if (files[index].device == status.st_dev && files[index].node == status.st_ino) return index;
    }
    if (file_count == 256) abort();
    // Opened separately: the file's own descriptor may be closed, and its number reused.
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    files[file_count].device = status.st_dev;
    files[file_count].node = status.st_ino;
    files[file_count].file = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDWR | O_CLOEXEC, 0);
    return file_count++;
}

void lost_power_writes(int file, long offset, long count) {
    int index = known(file);
    if (index < 0) return;
    struct stat status;
    fstat(file, &status);
    if (count < 0) count = status.st_size - offset;
    if (count <= 0) return;
    if (write_count == write_room) {
        write_room = write_room * 2 + 64;
        writes = realloc(writes, write_room * sizeof *writes);
        if (writes == NULL) abort();
    }
    unsigned char *old = calloc(1, (size_t)count);
    if (old == NULL) abort();
    syscall(SYS_pread64, files[index].file, old, count, offset);
    writes[write_count++] = (lost_write){index, offset, count, old};
}

void lost_power_synced(int file) {
    struct stat status;
    if (fstat(file, &status) != 0) return;
    if (S_ISDIR(status.st_mode)) {
        name_count = 0;
        return;
    }
    int index = known(file);
    for (size_t number = 0; number < write_count; number++) {
        if (writes[number].file != index) continue;
        writes[number].file = -1;
        free(writes[number].old);
        writes[number].old = NULL;
    }
}

static lost_name *next_name(void) {
    if (name_count == 256) abort();
    lost_name *name = &names[name_count++];
    name->from[0] = name->to[0] = name->kept[0] = 0;
    return name;
}

// Copies a file that has another name: a second link to it would be a name of that one, too.
static int keeps_copy(const char *path, const char *kept) {
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink < 2) return 0;
    int from = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    int to = (int)syscall(SYS_openat, AT_FDCWD, kept, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (from < 0 || to < 0) abort();
    char buffer[65536];
    long count;
    while ((count = syscall(SYS_read, from, buffer, sizeof buffer)) > 0) {
        if (syscall(SYS_write, to, buffer, count) != count) abort();
    }
    // The one to read stays open: see known_file.
    syscall(SYS_close, to);
    return 1;
}

void lost_power_renames(const char *folder, const char *from, const char *to) {
    lost_name *name = next_name();
    snprintf(name->to, PATH_MAX, "%s", to);
    if (from != NULL) snprintf(name->from, PATH_MAX, "%s", from);
    snprintf(name->kept, PATH_MAX, "%s/lost/%d", folder, kept_count++);
    if (keeps_copy(to, name->kept)) return;
    if (syscall(SYS_linkat, AT_FDCWD, to, AT_FDCWD, name->kept, 0) != 0) {
        name->kept[0] = 0;
        if (from == NULL) name_count--; // there was nothing to remove
    }
}

void lost_power_creates(const char *path) {
    struct stat status;
    if (lstat(path, &status) == 0) return;
    snprintf(next_name()->to, PATH_MAX, "%s", path);
}

void lost_power_undo(unsigned seed) {
    int is_partial = seed % 2;
    for (size_t number = write_count; number-- > 0;) {
        lost_write *lost = &writes[number];
        if (lost->file < 0 || (is_partial && rand_r(&seed) % 2 == 0)) continue;
        syscall(SYS_pwrite64, files[lost->file].file, lost->old, lost->count, lost->offset);
    }
    int first = is_partial && name_count > 0 ? rand_r(&seed) % (name_count + 1) : 0;
    for (int number = name_count; number-- > first;) {
        lost_name *lost = &names[number];
        if (lost->from[0] != 0) {
            syscall(SYS_renameat2, AT_FDCWD, lost->to, AT_FDCWD, lost->from, 0);
        } else if (lost->kept[0] == 0) {
            syscall(SYS_unlinkat, AT_FDCWD, lost->to, 0);
        }
        if (lost->kept[0] != 0) syscall(SYS_renameat2, AT_FDCWD, lost->kept, AT_FDCWD, lost->to, 0);
    }
}

#endif
