extension UInt8 {
    /// Whether it is one of `0-9` in ASCII.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether it is one of `a-z` in ASCII.
    var isASCIILowercase: Bool { (0x61...0x7A).contains(self) }

    /// Whether it is one of `A-Z` and `a-z` in ASCII.
    var isASCIILetter: Bool { (self | 0x20).isASCIILowercase }

    /// Whether it is one of `A-Z` in ASCII.
    var isASCIIUppercase: Bool { (0x41...0x5A).contains(self) }

    /// One of `A-Z` in lower case; any other byte unchanged.
    var asciiLowercased: UInt8 { isASCIIUppercase ? self | 0x20 : self }
}
