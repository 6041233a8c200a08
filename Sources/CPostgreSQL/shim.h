// What Swift sees of libpq, PostgreSQL's client library.
#ifndef LOCKSTEP_CPOSTGRESQL_SHIM_H
#define LOCKSTEP_CPOSTGRESQL_SHIM_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "libpq's header is missing. Run `make setup`, or install libpq-dev."
#endif

#ifndef LIBPQ_HAS_PIPELINING
#error "This libpq is too old: 14 or newer is needed."
#endif

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// memset that the compiler must not leave out: the memory counts as read.
static inline void lockstep_wipe(void *start, size_t length) {
    memset(start, 0, length);
    __asm__ __volatile__("" : : "r"(start) : "memory");
}

// The user that the process at the other end of a Unix socket runs as; -1 if the system does not say. Linux's struct ucred
// needs _GNU_SOURCE, which another module may have left out: its layout is that of the kernel.
static inline long long lockstep_peer_user(int descriptor) {
#ifdef __linux__
    struct {
        int pid;
        unsigned int uid;
        unsigned int gid;
    } peer;
    socklen_t length = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    return peer.uid;
#else
    uid_t user;
    gid_t group;
    return getpeereid(descriptor, &user, &group) == 0 ? (long long)user : -1;
#endif
}

// Waits until there is something to read, or if wanted room to write, for so many milliseconds; 0 after that time or a signal.
static inline int lockstep_await(int descriptor, int for_writing, int milliseconds) {
    struct pollfd entry = {.fd = descriptor, .events = (short)(for_writing ? POLLIN | POLLOUT : POLLIN)};
    return poll(&entry, 1, milliseconds) > 0;
}

// How many bytes wait to be read.
static inline int lockstep_waiting_bytes(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}

// Ends both directions, so that nothing waits for the other end any more.
static inline void lockstep_break_off(int descriptor) { shutdown(descriptor, SHUT_RDWR); }

// A cancellation on a thread of its own: libpq waits for the server without any limit.
typedef struct {
    PGcancel *cancel;
    int owners;
    int has_ended;
} lockstep_cancellation;

static inline void lockstep_cancellation_release(lockstep_cancellation *one) {
    if (__atomic_sub_fetch(&one->owners, 1, __ATOMIC_ACQ_REL) > 0) return;
    PQfreeCancel(one->cancel);
    free(one);
}

static inline void *lockstep_cancellation_run(void *context) {
    lockstep_cancellation *one = (lockstep_cancellation *)context;
    char reason[256];
    // A failure is no answer either: the statement then goes on.
    (void)PQcancel(one->cancel, reason, sizeof reason);
    __atomic_store_n(&one->has_ended, 1, __ATOMIC_RELEASE);
    lockstep_cancellation_release(one);
    return NULL;
}

// NULL if it cannot begin.
static inline lockstep_cancellation *lockstep_cancellation_begin(PGconn *connection) {
    PGcancel *cancel = PQgetCancel(connection);
    if (cancel == NULL) return NULL;
    lockstep_cancellation *one = (lockstep_cancellation *)calloc(1, sizeof *one);
    pthread_t thread;
    if (one == NULL) {
        PQfreeCancel(cancel);
        return NULL;
    }
    one->cancel = cancel;
    one->owners = 2;
    if (pthread_create(&thread, NULL, lockstep_cancellation_run, one) != 0) {
        PQfreeCancel(cancel);
        free(one);
        return NULL;
    }
    pthread_detach(thread);
    return one;
}

static inline int lockstep_cancellation_has_ended(lockstep_cancellation *one) {
    return __atomic_load_n(&one->has_ended, __ATOMIC_ACQUIRE);
}

#endif
