internal import CSQLCipher

extension Connection {
    /// How SQLCipher and SQLite treat the file, by the names of the pragmas that tell it; `reserved bytes`
    /// are those at each page's end.
    func cipherSettings() throws -> [String: String] {
        var settings: [String: String] = [:]
        let pragmas: [StaticString] = [
            "cipher_page_size", "page_size", "cipher_use_hmac", "cipher_hmac_algorithm",
            "cipher_plaintext_header_size",
        ]
        try with(rights: .engine) {
            for pragma in pragmas {
                settings["\(pragma)"] = try value(
                    "PRAGMA \(verbatim: "\(pragma)")", as: Value.self
                ).map(Self.text)
            }
        }
        // A number below zero only asks.
        var reserved: Int32 = -1
        let code = unsafe sqlite3_file_control(
            handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
        guard code == SQLITE_OK else { throw core.error(code) }
        settings["reserved bytes"] = "\(reserved)"
        return settings
    }

    /// Some pragmas answer with a number, some of SQLCipher's with a text.
    private static func text(_ value: Value) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .text(let text): text
        default: ""
        }
    }
}
