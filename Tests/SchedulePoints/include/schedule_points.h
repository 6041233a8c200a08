// Counts the points at which a program meets the file system, and has something else run at a chosen one: SQLite's
// calls to its file layer, and whatever else calls schedule_point.
#ifndef LOCKSTEP_SCHEDULE_POINTS_H
#define LOCKSTEP_SCHEDULE_POINTS_H

// Makes a file layer the default one that forwards everything to what was the default; SQLITE_OK or SQLite's code.
int schedule_points_install(void);

// From now on `visit` runs at the point number `at`, counting from 1, once. Points are calls on files whose path begins
// with `prefix`. While it runs, and before the program is armed, nothing counts.
void schedule_points_arm(const char *prefix, int at, void (*visit)(void));

// Ends that, and gives how many points were counted.
int schedule_points_disarm(void);

// Counts one.
void schedule_point(void);

#endif
