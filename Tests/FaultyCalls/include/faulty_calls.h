// Stands before the system's calls that change files, for the whole program and every library in it: at a
// chosen one the process is killed, or the call fails. Only calls on files whose path begins as armed are
// counted. On Linux, where a program's own functions come before the C library's; elsewhere nothing is
// counted.
#ifndef LOCKSTEP_FAULTY_CALLS_H
#define LOCKSTEP_FAULTY_CALLS_H

// What happens at the chosen call.
enum {
    CALLS_KILL = 0,    // SIGKILL before it
    CALLS_TEAR = 1,    // SIGKILL in its middle, if it writes: half of the bytes are there
    CALLS_ONCE = 2,    // it fails, and the next one works again
    CALLS_STAYING = 3, // all fail from there on
    CALLS_FULL = 4,    // all that need space fail from there on
    CALLS_LOSE = 5,    // the power goes before it: what was not synced is lost, all of it or a part
    CALLS_LIE = 6,     // the same with a disk that says that it has synced, and has not
    CALLS_VISIT = 7    // each one calls the visitor first
};

// From now on the call number `at`, counting from 1, meets with `fault`.
void faulty_calls_arm(const char *prefix, int fault, int at);

// What CALLS_VISIT calls, with no lock held.
void faulty_calls_set_visitor(void (*visit)(void));

// Ends that, and gives how many calls were counted.
int faulty_calls_disarm(void);

// Which calls were counted since it was armed, a line each: its number, what it does, the file's name. Of
// calls that follow each other and do the same to the same file it tells the first. Valid until it is armed
// again.
const char *faulty_calls_trace(void);

#endif
