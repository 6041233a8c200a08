#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Writes to a pipe whose reader may be gone, in a process that SIGPIPE would end.
enum BrokenPipe {
    /// Like write(2), but without a reader it fails with EPIPE and raises no signal.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        #if canImport(Darwin)
        // The descriptor has F_SETNOSIGPIPE: see PluginPipe.
        return unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        var (broken, pending, before) = (sigset_t(), sigset_t(), sigset_t())
        unsafe sigemptyset(&broken)
        unsafe sigaddset(&broken, SIGPIPE)
        unsafe sigpending(&pending)
        let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
        unsafe pthread_sigmask(SIG_BLOCK, &broken, &before)
        let count = unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        let failure = errno
        if count < 0, failure == EPIPE, !wasPending {
            // The signal is pending for the writing thread; this removes it.
            var now = timespec()
            while unsafe sigtimedwait(&broken, nil, &now) < 0, errno == EINTR {}
        }
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = failure
        return count
        #endif
    }
}
