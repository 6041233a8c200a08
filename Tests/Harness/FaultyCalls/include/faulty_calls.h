// Intercepts the system calls that change files, for the whole program and every library in it. At a chosen call the
// process is killed, or the call fails. Only calls on files whose path begins with the armed prefix are counted. This
// works on Linux, where a program's own functions take precedence over the C library's; elsewhere nothing is counted.
#ifndef LOCKSTEP_FAULTY_CALLS_H
#define LOCKSTEP_FAULTY_CALLS_H

// The effect at the chosen call.
enum {
    CALLS_KILL = 0,    // SIGKILL before it
    CALLS_TEAR = 1,    // SIGKILL halfway through a write: half of the bytes are written
    CALLS_ONCE = 2,    // it fails, and the next one succeeds
    CALLS_STAYING = 3, // all fail from there on
    CALLS_FULL = 4,    // all that need space fail from there on
    CALLS_LOSE = 5,    // power loss before it: data that was not synced is lost, all of it or a part
    CALLS_LIE = 6,     // the same with a disk that reports a sync that it did not do
    CALLS_VISIT = 7    // each call runs the visitor first
};

// From now on, call number `at`, counting from 1, meets `fault`.
void faulty_calls_arm(const char *prefix, int fault, int at);

// The function that CALLS_VISIT calls, with no lock held.
void faulty_calls_set_visitor(void (*visit)(void));

// Disarms, and returns how many calls were counted.
int faulty_calls_disarm(void);

// The calls counted since arming, one per line: number, action, file name. Of consecutive calls with the same action on
// the same file it lists the first. Valid until the next arming.
const char *faulty_calls_trace(void);

#endif
