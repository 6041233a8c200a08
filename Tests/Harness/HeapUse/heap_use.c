#define _GNU_SOURCE
#include "heap_use.h"
#include <string.h>

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

int64_t lockstep_heap_use(void)
{
#ifdef __APPLE__
    malloc_statistics_t all;
    malloc_zone_statistics(0, &all);
    return (int64_t)all.size_in_use;
#else
    struct mallinfo2 all = mallinfo2();
    return (int64_t)(all.uordblks + all.hblkhd);
#endif
}

int64_t lockstep_find(const void *bytes, int64_t count, const void *wanted, int64_t length)
{
    const char *found = memmem(bytes, (size_t)count, wanted, (size_t)length);
    return found ? found - (const char *)bytes : -1;
}
