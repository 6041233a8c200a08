#include "end_with_parent.h"

#ifdef __linux__
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

// Not PR_SET_PDEATHSIG: that signal comes when the thread ends that started the process, and the parent goes on.
static void *watch(void *argument) {
    struct pollfd parent = {.fd = (int)(long)argument, .events = POLLIN};
    while (poll(&parent, 1, -1) != 1) {
    }
    kill(getpid(), SIGKILL);
    return 0;
}

void lockstep_end_with_parent(void) {
    static atomic_flag is_watching = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&is_watching)) return;
    pid_t number = getppid();
    // Without a parent here, as the first process of a container, or already left by it.
    if (number <= 1) return;
    int parent = (int)syscall(SYS_pidfd_open, number, 0);
    if (parent < 0) return;
    if (getppid() != number) kill(getpid(), SIGKILL);
    pthread_t thread;
    sigset_t all, before;
    // The thread handles no signals of the program.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, 0, watch, (void *)(long)parent) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, 0);
}

#else

void lockstep_end_with_parent(void) {}

#endif
