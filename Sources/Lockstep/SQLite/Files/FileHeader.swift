/// The header of SQLite's files ("Database File Format", section 1.3), as far as it shows what a file is.
struct FileHeader {
    /// Bytes of the header.
    static let length = 100
    /// Page 1 as far as it was read, from its first byte on.
    let bytes: [UInt8]

    /// Whether the file begins as every plaintext file does, and SQLCipher's with a plaintext header.
    var hasMagic: Bool {
        !bytes.isEmpty && bytes.starts(with: DatabaseFile.magic.prefix(bytes.count))
    }

    /// Bytes of a page; nil if that is no page size.
    var pageSize: Int? {
        guard bytes.count >= 18 else { return nil }
        let field = Int(bytes[16]) << 8 | Int(bytes[17])
        if field == 1 { return 65_536 }
        return field >= 512 && field & (field - 1) == 0 ? field : nil
    }

    /// Bytes at the end of every page that SQLite leaves to extensions.
    var reserve: Int { bytes.count > 20 ? Int(bytes[20]) : 0 }

    /// Whether bytes 16 to 23 are a page size, write and read versions of 1 or 2, any reserve, and 64, 32, 32.
    var isPlausible: Bool {
        guard bytes.count >= 24, pageSize != nil else { return false }
        return (1...2).contains(bytes[18]) && (1...2).contains(bytes[19])
            && bytes[21] == 64 && bytes[22] == 32 && bytes[23] == 32
    }

    /// Whether everything in the first 101 bytes is as SQLite writes it: also the schema format, the text encoding, the
    /// bytes that are always zero, and that page 1 belongs to a table.
    var isWhole: Bool {
        guard bytes.count > Self.length, hasMagic, isPlausible else { return false }
        return field(44) <= 4 && field(56) <= 3 && bytes[72..<92].allSatisfy { $0 == 0 }
            && [5, 13].contains(bytes[Self.length])
    }

    /// Whether the file begins in plaintext but its pages are encrypted: SQLCipher's `cipher_plaintext_header_size`.
    /// What is only damaged keeps its zeros.
    var isPlaintextOfCiphertext: Bool {
        guard hasMagic, bytes.count > Self.length else { return false }
        let hasZeros = bytes[72..<92].allSatisfy { $0 == 0 }
        guard isPlausible else { return !hasZeros }
        // SQLCipher writes its reserve even where the header is plaintext.
        guard reserve >= Profile.vectorLength else { return false }
        if !hasZeros || field(44) > 4 || field(56) > 3 { return true }
        // With a longer header, the initialisation vector and the MAC show: SQLite leaves zeros there.
        guard let pageSize, bytes.count >= pageSize else { return false }
        let end = bytes[(pageSize - reserve)..<pageSize]
        return Set(end).count > 8
    }

    /// Whether the file has fewer bytes than its header says.
    func isCut(_ size: Int) -> Bool {
        guard bytes.count >= Self.length else { return true }
        let field = Int(bytes[16]) << 8 | Int(bytes[17])
        let pageSize = field == 1 ? 65_536 : field
        // Only programs that also write the counter after it maintain the count.
        let isKept = bytes[24..<28] == bytes[92..<96]
        return size < (isKept ? max(self.field(28), 1) : 1) * pageSize
    }

    /// The number of four bytes, big-endian.
    private func field(_ offset: Int) -> Int {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}
