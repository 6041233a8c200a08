/* What this process does to files, as far as Linux lets one count it: for the harness and its peers alone. */
#ifndef FILE_ACTIVITY_H
#define FILE_ACTIVITY_H

#include <stdint.h>

/* Bytes that all threads have handed to write(2) and its like until now; -1 where the system does not tell. */
int64_t file_activity_bytes_written(void);

/* How often any thread has called fsync(2) or fdatasync(2) until now; -1 where that cannot be counted. */
int64_t file_activity_syncs(void);

#endif
