#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import SystemPackage

/// One pipe between this process and a plugin.
final class PluginPipe {
    /// The plugin's end.
    let child: FileDescriptor
    private var own: FileDescriptor?

    init(childReads: Bool) throws {
        let pipe = try translatingErrno("make a pipe for", "a plugin") { try FileDescriptor.pipe() }
        // Otherwise any program started in the meantime would keep the pipe open.
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        let mine = childReads ? pipe.writeEnd : pipe.readEnd
        let theirs = childReads ? pipe.readEnd : pipe.writeEnd
        // A descriptor from 0 to 2, which is free if the program closed it, would collide with its own copy.
        let moved = fcntl(theirs.rawValue, F_DUPFD_CLOEXEC, 3)
        let failure = errno
        try? theirs.close()
        guard moved >= 0 else {
            try? mine.close()
            throw LockstepError.system(Errno(rawValue: failure), "make a pipe for", "a plugin")
        }
        // A plugin that does not read must not block this process beyond its time limit.
        _ = fcntl(mine.rawValue, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
        _ = fcntl(mine.rawValue, F_SETNOSIGPIPE, 1)
        #endif
        child = FileDescriptor(rawValue: moved)
        own = mine
    }

    /// This process's end, which the caller then owns.
    func takeOwn() -> FileDescriptor {
        let taken = own ?? FileDescriptor(rawValue: -1)
        own = nil
        return taken
    }

    deinit {
        try? child.close()
        try? own?.close()
    }
}

/// Starts a plugin's program.
enum PluginSpawning {
    /// Starts it in its own process group, in the folder `/`, with only this process's standard error and the
    /// environment variables that it is allowed.
    static func start(
        _ plugin: Plugin, _ arguments: [String], input: FileDescriptor, output: FileDescriptor
    ) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input.rawValue, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, 1)
        var (none, usual) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&usual)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if canImport(Darwin)
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        unsafe posix_spawn_file_actions_addinherit_np(&actions, 2)
        unsafe posix_spawn_file_actions_addchdir(&actions, "/")
        #else
        let isolation = unsafe SpawnIsolation.apply(to: &actions)
        guard isolation == 0 else {
            throw LockstepError.system(
                Errno(rawValue: isolation), "isolate", plugin.program)
        }
        #endif
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var child: pid_t = 0
        let strings =
            unsafe ([plugin.program.string] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe strings.forEach { unsafe free($0) } }
        let code = unsafe PluginEnvironment.with(plugin.variables) { environment in
            unsafe posix_spawn(&child, plugin.program.string, &actions, &attributes, strings, environment)
        }
        guard code == 0 else {
            throw plugin.failed(
                "cannot be run: \(Errno(rawValue: code))", hint: "check that the file is a program for this machine")
        }
        return child
    }

    /// read(2), under a name that no method of the caller shadows.
    static func read(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
        unsafe Darwin.read(descriptor, start, count)
        #else
        unsafe Glibc.read(descriptor, start, count)
        #endif
    }
}
