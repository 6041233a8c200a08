// Counts the points at which a program accesses the file system, and runs a function at a chosen one: SQLite's calls to
// its file layer, and every other caller of schedule_point.
#ifndef LOCKSTEP_SCHEDULE_POINTS_H
#define LOCKSTEP_SCHEDULE_POINTS_H

// Installs a default file layer that forwards to the previous default; returns SQLITE_OK or SQLite's code.
int schedule_points_install(void);

// From now on `visit` runs at point number `at`, counting from 1, once. Points are calls on files whose path begins
// with `prefix`. While it runs, and while the program is not armed, nothing counts.
void schedule_points_arm(const char *prefix, int at, void (*visit)(void));

// Disarms, and returns how many points were counted.
int schedule_points_disarm(void);

// Counts one point.
void schedule_point(void);

#endif
