import Lockstep

/// An encoding of text that bytes cannot tell, and that has to be asked for.
public enum LegacyEncoding: String, Sendable, CaseIterable {
    /// ISO 8859-1.
    case latin1
    /// Windows' own, with quotes and dashes where ISO 8859-1 has control characters (WHATWG's Encoding Standard: the
    /// five bytes without a character become control characters).
    case windows1252 = "windows-1252"
}
