import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What an attacker who can write to the database can try with sealed cells.
struct CellAbuseTests {
    let cipher: ColumnCipher
    let cell: [UInt8]

    init() throws {
        cipher = try CellWorkbench.cipher()
        cell = try cipher.seal(.text("Dune"), at: .row(1))
    }

    @Test("a cell opens in no other row, column, dataset, or under another kind of key") func moved() throws {
        let elsewhere: [CellBinding] = [
            .row(2), .row(-1), .row(0), .column, .key([.integer(1), .integer(1)]),
            .key([.text("1")]),
            .key([.blob([0, 0, 0, 0, 0, 0, 0, 1])]),
        ]
        for binding in elsewhere {
            Refusal.expect(.cellForged) { _ = try cipher.open(cell, at: binding) }
        }
        // A key of one integer is the same row, however it is given.
        #expect(try cipher.open(cell, at: .key([.integer(1)])) == .text("Dune"))
        let neighbour = try CellWorkbench.cipher(column: 8)
        Refusal.expect(.cellForged) { _ = try neighbour.open(cell, at: .row(1)) }
        let foreign = try CellWorkbench.cipher(CellWorkbench.keys(dataset: [UInt8](repeating: 0, count: 16)))
        Refusal.expect(.cellForged) { _ = try foreign.open(cell, at: .row(1)) }
    }

    @Test("keys whose parts join into the same bytes are distinguished")
    func keysRunTogether() throws {
        let cell = try cipher.seal(.null, at: .key([.text("ab"), .text("c")]))
        for other: CellBinding in [
            .key([.text("a"), .text("bc")]), .key([.text("abc")]),
            .key([.text("ab"), .blob([0x63])]),
            .key([.text("c"), .text("ab")]),
        ] {
            Refusal.expect(.cellForged) { _ = try cipher.open(cell, at: other) }
        }
    }

    @Test("no bit of a cell can be changed")
    func flipped() throws {
        for index in cell.indices {
            for bit in 0..<8 {
                var changed = cell
                changed[index] ^= 1 << bit
                let code = try Refusal.code { _ = try cipher.open(changed, at: .row(1)) }
                // Format and version decide what opening tries.
                let due: [LockstepError.Code] =
                    index == 0 ? [.cellMalformed] : index < 5 ? [.keyUnavailable, .cellMalformed] : [.cellForged]
                #expect(code.map(due.contains) == true, "byte \(index), bit \(bit): \(String(describing: code))")
            }
        }
    }

    @Test("a cell of any other length is refused")
    func truncated() throws {
        for count in 0..<cell.count {
            let code = try Refusal.code { _ = try cipher.open(Array(cell[..<count]), at: .row(1)) }
            #expect(code == (count <= CellFormat.random.overhead ? .cellMalformed : .cellForged))
        }
        for extra in [1, 16, 100] {
            let longer = cell + [UInt8](repeating: 0, count: extra)
            Refusal.expect(.cellForged) { _ = try cipher.open(longer, at: .row(1)) }
        }
        Refusal.expect(.cellForged) {
            _ = try cipher.open(Array(cell[..<29] + cell[30...]), at: .row(1))
        }
    }

    @Test("bytes that are not a cell are refused: plaintext, other formats, version 0") func foreign() throws {
        let body = Array(cell[1...])
        for bytes: [UInt8] in [
            [], Array("Dune".utf8), Array(String(repeating: "x", count: 100).utf8),
            [0xFA] + body, [0xFB] + body, [0xF8] + body, [0xFF] + body,
            [0xF9, 0, 0, 0, 0] + body[4...],
        ] {
            Refusal.expect(.cellMalformed) { _ = try cipher.open(bytes, at: .row(1)) }
        }
    }

    @Test(
        "a version that is unknown or destroyed says so; retired and compromised ones open, and seal nothing"
    )
    func versions() throws {
        let keys = try CellWorkbench.keys(
            active: 9, retired: [3], compromised: [4], destroyed: [5])
        let cipher = try CellWorkbench.cipher(keys)
        #expect(try cipher.open(cell, at: .row(1)) == .text("Dune"))
        let other = try CellWorkbench.cipher(CellWorkbench.keys(active: 4))
        let compromised = try other.seal(.integer(4), at: .row(1))
        #expect(try cipher.open(compromised, at: .row(1)) == .integer(4))
        #expect(try cipher.seal(.null, at: .row(1))[4] == 9)
        for version: [UInt8] in [[0, 0, 0, 5], [0, 0, 0, 6], [0xFF, 0xFF, 0xFF, 0xFF]] {
            let renumbered = [0xF9] + version + cell[5...]
            Refusal.expect(.keyUnavailable) { _ = try cipher.open(renumbered, at: .row(1)) }
        }
        // The version is authenticated: a cell cannot be passed off as one of another key.
        Refusal.expect(.cellForged) {
            _ = try cipher.open([0xF9, 0, 0, 0, 4] + cell[5...], at: .row(1))
        }
    }

    @Test("a keyring that opens the database opens no cell")
    func databaseKeyring() throws {
        let database = try Keyring.create(.database)
        Refusal.expect(.keyringMismatch) { _ = try database.fieldKeys() }
        let fields = try Keyring.create(.fields)
        let keys = try fields.fieldKeys()
        #expect(keys.activeVersion == 1)
        #expect(keys.dataset == fields.subjectID)
    }

    @Test("authentic content that is not a value is refused, and the error reveals none of it")
    func impossiblePlaintexts() throws {
        for plaintext: [UInt8] in [
            [], [0x0B], [0x3F], [0x40], [0x01, 0], [0x01] + [UInt8](repeating: 0, count: 9),
            [0x05], [0x05, 0], [0x06] + [UInt8](repeating: 0, count: 8),
            [0x03, 0xFF], [0x03, 0xED, 0xA0, 0x80], [0x80], [0x83], [0x83, 0x61],
            [0x83, 0x61, 0, 0],
            [0x85, 1, 0x80], [0x00, 0], [0x43, 0x61],
        ] {
            #expect(CellPlaintext.read(plaintext.span) == nil, "\(plaintext)")
        }
    }

    @Test("an impossible place or padding is refused before anything is sealed")
    func unsealable() throws {
        Refusal.expect(.misuse) { _ = try cipher.seal(.null, at: .key([])) }
        Refusal.expect(.misuse) {
            _ = try cipher.seal(.null, at: .key(Array(repeating: .integer(1), count: 256)))
        }
        for unit in [-1, 0, 1, 65_537] {
            let padded = try CellWorkbench.cipher(padding: .multiple(of: unit))
            Refusal.expect(.misuse) { _ = try padded.seal(.null, at: .row(1)) }
        }
    }

    @Test("errors name the place, never the value or a key that could be one")
    func silence() throws {
        do {
            _ = try cipher.open(cell, at: .row(77))
            Issue.record("it opened")
        } catch let error as LockstepError {
            #expect(error.message.contains("column 7 in row 77"))
        }
        do {
            _ = try cipher.open(cell, at: .key([.text("Herbert")]))
            Issue.record("it opened")
        } catch let error as LockstepError {
            #expect(!error.description.contains("Herbert"))
        }
    }
}
