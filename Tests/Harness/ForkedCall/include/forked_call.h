#ifndef LOCKSTEP_FORKED_CALL_H
#define LOCKSTEP_FORKED_CALL_H
#include <stdint.h>

/// Returns the result of `function` in a child of this process, which Swift cannot fork; UINT64_MAX if there is none.
uint64_t lockstep_ask_child(uint64_t (*function)(void));

#endif
