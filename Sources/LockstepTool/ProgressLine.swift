import Lockstep
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One line at the bottom of the terminal that tells how far something is, written anew at most ten times a
/// second and gone when it ends. Where standard error is no terminal there is none.
struct ProgressLine {
    private let isShown: Bool
    private var lastShown: ContinuousClock.Instant?
    private var text = ""

    init() {
        isShown = isatty(STDERR_FILENO) == 1 && Environment.text("TERM") != "dumb"
    }

    /// Shows `text` in the place of what was shown.
    /// - Parameter always: However soon after the last; for what may be followed by nothing for long.
    mutating func show(_ text: @autoclosure () -> String, always: Bool = false) {
        let now = ContinuousClock.now
        if !always, let lastShown, now - lastShown < .milliseconds(100) { return }
        lastShown = now
        let text = Self.fitting(Output.printable(text()))
        guard isShown, text != self.text else { return }
        self.text = text
        Self.write("\r\(text)\u{1B}[K")
    }

    /// Takes the line away.
    mutating func end() {
        guard !text.isEmpty else { return }
        text = ""
        Self.write("\r\u{1B}[K")
    }

    /// A longer line would break, and its first half stay.
    private static func fitting(_ text: String) -> String {
        var size = winsize()
        let known = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1
        return String(text.prefix(known ? Int(size.ws_col) - 1 : 79))
    }

    private static func write(_ text: String) {
        // Where standard error is closed there is nobody to tell.
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }

    /// A share as people read it.
    static func share(_ done: Int, of total: Int) -> String {
        total > 0 ? "\(done * 100 / total) %" : "\(done)"
    }
}
