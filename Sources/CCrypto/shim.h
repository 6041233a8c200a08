// What Swift sees of OpenSSL's libcrypto. SQLCipher links the same library, so a process has one.
#ifndef LOCKSTEP_CCRYPTO_SHIM_H
#define LOCKSTEP_CCRYPTO_SHIM_H

#if !__has_include(<openssl/evp.h>)
#error "OpenSSL's headers are missing. Run `make setup`, or install libssl-dev 3.0 or newer."
#endif
#include <openssl/opensslv.h>
#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "This OpenSSL is too old: 3.0 or newer is needed. Run `make setup`."
#endif

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

// OPENSSL_secure_malloc and friends are macros that add file and line.
static inline void *lockstep_secure_zalloc(size_t count) {
    return CRYPTO_secure_zalloc(count, "", 0);
}
static inline void lockstep_secure_clear_free(void *pointer, size_t count) {
    CRYPTO_secure_clear_free(pointer, count, "", 0);
}

// prctl is variadic, which Swift cannot import. PR_SET_DUMPABLE 0 also keeps other processes of the
// same user from reading this one's memory.
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
static inline int lockstep_forbid_dumps(void) {
    struct rlimit none = {0, 0};
    int refused = setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
    refused |= prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
    return refused;
}

// How much memory this process may lock; the constant is a macro over an enum on Linux.
static inline size_t lockstep_lockable_bytes(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 65536;
    return limit.rlim_cur > (rlim_t)(1 << 30) ? (size_t)(1 << 30) : (size_t)limit.rlim_cur;
}

// Gives a file another name unless that is taken; -1 with errno. EINVAL and ENOSYS where the file system cannot.
#ifdef __linux__
// <stdio.h> declares it for GNU sources only. The numbers are AT_FDCWD and RENAME_NOREPLACE.
extern int lockstep_renameat2(int, const char *, int, const char *, unsigned) __asm__("renameat2");
static inline int lockstep_rename_new(const char *from, const char *to) {
    return lockstep_renameat2(-100, from, -100, to, 1);
}
#else
#include <stdio.h>
static inline int lockstep_rename_new(const char *from, const char *to) {
    return renamex_np(from, to, RENAME_EXCL);
}
#endif

#ifdef __linux__
// <spawn.h> declares these two for GNU sources only, which Swift's modules are not. It is not included: its types would
// then be this module's to the compiler, and nobody outside of Crypto imports that.
extern int lockstep_add_chdir(void *actions, const char *) __asm__("posix_spawn_file_actions_addchdir_np");
extern int lockstep_add_closefrom(void *actions, int) __asm__("posix_spawn_file_actions_addclosefrom_np");

// Has a program start in the folder / with none of this process's descriptors but 0, 1 and 2. `actions` is a
// posix_spawn_file_actions_t.
static inline int lockstep_spawn_apart(void *actions) {
    int failure = lockstep_add_closefrom(actions, 3);
    return failure ? failure : lockstep_add_chdir(actions, "/");
}
#endif

#endif
