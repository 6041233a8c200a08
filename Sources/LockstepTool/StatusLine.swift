import Lockstep
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line on standard error that is written over as work goes on; only where somebody sits at a terminal.
final class StatusLine {
    private let isOn = isatty(STDERR_FILENO) == 1 && Environment.text("TERM") != "dumb"
    private var shown = ""
    private var lastTime = ContinuousClock.now

    /// Shows `text`, at most ten times a second.
    func show(_ text: @autoclosure () -> String) {
        guard isOn else { return }
        let now = ContinuousClock.now
        guard shown.isEmpty || now - lastTime > .milliseconds(100) else { return }
        lastTime = now
        shown = Output.printable(text())
        write("\r\u{1B}[K\(shown)")
    }

    /// Takes the line away.
    func clear() {
        guard isOn, !shown.isEmpty else { return }
        shown = ""
        write("\r\u{1B}[K")
    }

    deinit { clear() }

    private func write(_ text: String) {
        // Where standard error is closed there is nobody to tell.
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }
}
