#include "forked_call.h"
#include <sys/wait.h>
#include <unistd.h>

uint64_t lockstep_ask_child(uint64_t (*function)(void)) {
    int ends[2];
    if (pipe(ends) != 0) return UINT64_MAX;
    pid_t child = fork();
    if (child == 0) {
        uint64_t answer = function();
        _exit(write(ends[1], &answer, sizeof answer) == sizeof answer ? 0 : 1);
    }
    close(ends[1]);
    uint64_t answer = UINT64_MAX;
    if (child < 0 || read(ends[0], &answer, sizeof answer) != sizeof answer) answer = UINT64_MAX;
    close(ends[0]);
    if (child > 0) waitpid(child, 0, 0);
    return answer;
}
