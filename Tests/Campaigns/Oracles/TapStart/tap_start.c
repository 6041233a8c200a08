#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "tap_start.h"

#include <dlfcn.h>

// Written in Swift.
extern void lockstep_tap_install(void);

void lockstep_tap_keep(void) {}

// Every program that a test starts loads the library, which acts only in SQLite's test program.
__attribute__((constructor)) static void start(void) {
    if (dlsym(RTLD_DEFAULT, "Sqlitetest1_Init") != 0) lockstep_tap_install();
}
