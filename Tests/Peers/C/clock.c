/* CPU time of all threads, wall time, and the process's peak memory. */
#include "peer.h"

#include "file_activity.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static int64_t cpu_started, wall_started, written_before, syncs_before;

static int64_t cpu_now(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) die(NULL, "getrusage");
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000
        + ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static int64_t wall_now(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) die(NULL, "clock_gettime");
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void clock_start(void) {
    written_before = file_activity_bytes_written();
    syncs_before = file_activity_syncs();
    wall_started = wall_now();
    cpu_started = cpu_now();
}

void clock_stop(struct outcome *outcome) {
    outcome->cpu += cpu_now() - cpu_started;
    outcome->wall += wall_now() - wall_started;
    outcome->bytes_written += file_activity_bytes_written() - written_before;
    outcome->syncs += file_activity_syncs() - syncs_before;
    outcome->is_activity_told = written_before >= 0 && syncs_before >= 0;
}

int64_t peak_kib(void) {
    /* Linux lets a child inherit ru_maxrss from the process that started it; VmHWM is its own. */
    FILE *status = fopen("/proc/self/status", "r");
    if (status) {
        char line[256];
        long long peak = 0;
        while (fgets(line, sizeof line, status)) {
            if (sscanf(line, "VmHWM: %lld kB", &peak) == 1) break;
        }
        fclose(status);
        if (peak > 0) return peak;
    }
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) die(NULL, "getrusage");
#ifdef __APPLE__
    return usage.ru_maxrss / 1024;
#else
    return usage.ru_maxrss;
#endif
}
