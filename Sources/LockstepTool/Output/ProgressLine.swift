import Lockstep
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A progress line at the bottom of the terminal, updated at most ten times a second and removed at the end. There is
/// none if standard error is not a terminal.
struct ProgressLine {
    private let isShown: Bool
    private var lastShown: ContinuousClock.Instant?
    private var text = ""

    init() {
        isShown = isatty(STDERR_FILENO) == 1 && Environment.text("TERM") != "dumb"
    }

    /// Replaces the line with `text`.
    /// - Parameter always: Whether to update even right after the last update, for a step that can take long.
    mutating func show(_ text: @autoclosure () -> String, always: Bool = false) {
        let now = ContinuousClock.now
        if !always, let lastShown, now - lastShown < .milliseconds(100) { return }
        lastShown = now
        let text = Self.fitting(Output.printable(text()))
        guard isShown, text != self.text else { return }
        self.text = text
        Self.write("\r\(text)\u{1B}[K")
    }

    /// Removes the line.
    mutating func end() {
        guard !text.isEmpty else { return }
        text = ""
        Self.write("\r\u{1B}[K")
    }

    /// A longer line would wrap, and its first half would stay on the screen.
    private static func fitting(_ text: String) -> String {
        var size = winsize()
        let known = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1
        return String(text.prefix(known ? Int(size.ws_col) - 1 : 79))
    }

    private static func write(_ text: String) {
        // If standard error is closed, the text has nowhere to go.
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }

    /// A share, formatted for people.
    static func share(_ progress: JobProgress) -> String {
        guard let total = progress.total, total > 0 else { return "\(progress.done)" }
        return "\(progress.done * 100 / total) %"
    }
}
