// The standard library's own normalizer, until it has a public one.
@_spi(_Unicode) internal import Swift

extension SecretBytes {
    /// The same text in Unicode's Normalization Form C (UAX #15), into which keyboards and systems put it in different
    /// ways: "é" is one character or two. Nil if it is in that form already, as all of ASCII is, or is no UTF-8.
    ///
    /// The text is in ordinary memory meanwhile, which nothing wipes.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    borrowing func composed() throws(LockstepError) -> SecretBytes? {
        guard var text = try? UTF8Span(validating: bytes), !text.checkForNFC(quickCheck: false) else { return nil }
        var scalars = String.UnicodeScalarView()
        for scalar in String(copying: text)._nfc { scalars.append(scalar) }
        return try SecretBytes(copying: String(scalars).utf8Span.span)
    }
}
