#ifndef LOCKSTEP_END_WITH_PARENT_H
#define LOCKSTEP_END_WITH_PARENT_H

/// Ends this process with SIGKILL as soon as the process that started it has ended, on Linux. Elsewhere, and where the
/// kernel cannot report that, it does nothing. The first call counts.
void lockstep_end_with_parent(void);

#endif
