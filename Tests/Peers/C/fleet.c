/* The same migrations for many files: two threads that open one file after another and only execute. */
#include "peer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 2 };

struct job {
    pthread_t thread;
    const struct options *options;
    const struct scripts *scripts;
    _Atomic int64_t *next;
    /* Read back on the connection that wrote the last file. */
    struct settings settings;
};

/* The options of a file of the fleet, which count from 1. */
static struct options file_options(const struct options *options, int64_t number, char path[8192]) {
    struct options own = *options;
    snprintf(path, 8192, "%s.%lld", options->path, (long long)number);
    own.path = path;
    return own;
}

static void *migrate_files(void *context) {
    struct job *job = context;
    char path[8192];
    for (int64_t number;
         (number = atomic_fetch_add(job->next, 1)) <= job->options->operations;) {
        struct options options = file_options(job->options, number, path);
        sqlite3 *database = open_database(&options, 0);
        run_scripts(database, job->scripts);
        read_settings(database, &job->settings);
        check(sqlite3_close(database), NULL, "close");
    }
    return NULL;
}

void run_fleet(const struct options *options, struct outcome *outcome) {
    char path[8192];
    for (int64_t number = 1; number <= options->operations; number++) {
        struct options own = file_options(options, number, path);
        sqlite3 *database = open_database(&own, 1);
        check(sqlite3_close(database), NULL, "close");
    }
    _Atomic int64_t next = 1;
    struct job jobs[JOBS];
    clock_start();
    struct scripts scripts = read_scripts(options);
    for (int index = 0; index < JOBS; index++) {
        jobs[index] = (struct job){.options = options, .scripts = &scripts, .next = &next};
        if (pthread_create(&jobs[index].thread, NULL, migrate_files, &jobs[index]) != 0) {
            die(NULL, "pthread_create");
        }
    }
    for (int index = 0; index < JOBS; index++) pthread_join(jobs[index].thread, NULL);
    clock_stop(outcome);
    free_scripts(&scripts);
    /* With one file, a thread can have had none. */
    outcome->settings = jobs[0].settings.page_size ? jobs[0].settings : jobs[1].settings;
    outcome->operations = options->operations;
    for (int64_t number = 1; number <= options->operations; number++) {
        struct options own = file_options(options, number, path);
        hash_schema(&own, &outcome->checksum);
    }
}
