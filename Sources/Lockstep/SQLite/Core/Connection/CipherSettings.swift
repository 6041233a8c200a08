internal import CSQLCipher

extension Connection {
    /// SQLCipher's and SQLite's settings for the file, by the names of the pragmas that report them; `reserved
    /// bytes` is the number of reserved bytes at the end of each page.
    func cipherSettings() throws -> [String: String] {  // exact: names of the source
        var settings: [String: String] = [:]  // exact: names of the source
        let pragmas: [StaticString] = [
            "cipher_page_size", "page_size", "cipher_use_hmac", "cipher_hmac_algorithm", "cipher_plaintext_header_size",
        ]
        try with(rights: .engine) {
            for pragma in pragmas {
                settings["\(pragma)"] = try value(
                    "PRAGMA \(verbatim: "\(pragma)")", as: Value.self
                ).map(Self.text)
            }
        }
        // A negative number only queries the value.
        var reserved: Int32 = -1
        let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
        guard code == SQLITE_OK else { throw core.error(code) }
        settings["reserved bytes"] = "\(reserved)"
        return settings
    }

    /// Some pragmas return a number, some of SQLCipher's return text.
    private static func text(_ value: Value) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .text(let text): text
        default: ""
        }
    }
}
