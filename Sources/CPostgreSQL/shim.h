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
#include <string.h>
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

// Waits until there is something to read, or for so many milliseconds; 0 after that time or a signal.
static inline int lockstep_await_input(int descriptor, int milliseconds) {
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};
    return poll(&entry, 1, milliseconds) > 0;
}

#endif
