#ifndef LOCKSTEP_HEAP_USE_H
#define LOCKSTEP_HEAP_USE_H
#include <stdint.h>

/// The bytes that this process has allocated and not freed.
int64_t lockstep_heap_use(void);

// Where the wanted bytes begin; -1 if they are not there.
int64_t lockstep_find(const void *bytes, int64_t count, const void *wanted, int64_t length);

#endif
