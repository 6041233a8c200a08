#define _GNU_SOURCE
#include "faulty_calls.h"

#ifdef __linux__

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Programs other than the tests' own load these functions by LD_PRELOAD; a variable selects the fault:
//
//   LOCKSTEP_TEST_CALLS="FAULT AT FOLDER"
//
// FAULT is the number of a fault. When the program ends, it writes the number of its calls to FOLDER.calls.

static char folder[4096];

__attribute__((constructor)) static void begin(void) {
    int fault, at;
    const char *text = getenv("LOCKSTEP_TEST_CALLS");
    if (text == NULL || sscanf(text, "%d %d %4000s", &fault, &at, folder) != 3) return;
    faulty_calls_arm(folder, fault, at);
}

__attribute__((destructor)) static void end(void) {
    if (folder[0] == 0) return;
    char line[32], path[4096 + 8];
    int length = snprintf(line, sizeof line, "%d\n", faulty_calls_disarm());
    snprintf(path, sizeof path, "%s.calls", folder);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    syscall(SYS_write, file, line, length);
    syscall(SYS_close, file);
}

#endif
