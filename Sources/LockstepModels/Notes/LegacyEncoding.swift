import Lockstep

/// A text encoding that cannot be detected from the bytes and has to be named.
public enum LegacyEncoding: String, Sendable, CaseIterable {
    /// ISO 8859-1.
    case latin1
    /// Windows' encoding, with quotes and dashes where ISO 8859-1 has control characters (WHATWG's Encoding Standard:
    /// the five bytes without a character become control characters).
    case windows1252 = "windows-1252"
}
