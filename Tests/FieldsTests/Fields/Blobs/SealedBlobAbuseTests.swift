import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What an attacker who can write to the database can try with cells in chunks.
@Suite("Abuse of sealed streams")
final class SealedBlobAbuseTests {
    let bench: SealedBlobWorkbench
    let connection: Connection
    let cell: [UInt8]
    private static let header = CellFormat.chunked.headerLength
    private static let sealed = ChunkedLayout.sealedChunkLength

    init() throws {
        bench = try SealedBlobWorkbench()
        connection = try bench.open(rows: 3)
        try connection.write(SealedBlobWorkbench.bytes(3 * 16_384 + 500), toReel: 1)
        try connection.write(SealedBlobWorkbench.bytes(3 * 16_384 + 500, salt: 1), toReel: 2)
        cell = try connection.cell(ofReel: 1)
    }

    private static func place(_ chunk: Int) -> Range<Int> {
        let start = header + chunk * sealed
        return start..<(start + sealed)
    }

    /// The errors with which the stream as a whole, SQL and verify refuse a row's bytes.
    private func codes(
        _ planted: [UInt8], inRow row: Int64 = 1
    ) throws -> [LockstepError.Code?] {
        try connection.plant(planted, inReel: row)
        let stream = try Refusal.code { _ = try connection.readReel(row) }
        let whole = try Refusal.code {
            _ = try connection.value("SELECT data FROM reel_open WHERE id = ?", row, as: [UInt8].self)
        }
        let capability = try connection.capability(of: "data", in: "reel")
        let fault = try connection.value(
            "SELECT lockstep_check(?, data, id) FROM reel WHERE id = ?", capability, row, as: Int64?.self)
        let check: LockstepError.Code? =
            switch (fault ?? nil).flatMap(SealedColumnAccess.Fault.init) {
            case .notAuthentic: .cellForged
            case .noCell: .cellMalformed
            case .keyUnavailable: .keyUnavailable
            default: nil
            }
        return [stream, whole, check]
    }

    private func expect(
        _ code: LockstepError.Code, _ planted: [UInt8], inRow row: Int64 = 1,
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try codes(planted, inRow: row) == [code, code, code], "\(what)", sourceLocation: sourceLocation)
    }

    @Test("control: the unchanged cell opens")
    func control() throws {
        #expect(try codes(cell) == [nil, nil, nil])
    }

    @Test("it opens in no other row, column, table or dataset")
    func moved() throws {
        try expect(.cellForged, cell, inRow: 3, "another row")
        try connection.run(
            script: """
                CREATE TABLE other (id INTEGER PRIMARY KEY, data, more);
                INSERT INTO other (id) VALUES (1);
                """)
        for column in ["data", "more"] {
            try connection.protect(column, of: "other", keys: bench.keys)
            try connection.executeWithoutTriggers(SQL(verbatim: "UPDATE other SET \(column) = ?"), [.blob(cell)])
            Refusal.expect(.cellForged) {
                try connection.withSealedBlob(BlobPlace(table: "other", column: column, row: 1)) {
                    _ in
                }
            }
        }
    }

    @Test("no chunks can be swapped, doubled or left out")
    func reordered() throws {
        for (one, other) in [(0, 1), (1, 2), (0, 2)] {
            var changed = cell
            changed.replaceSubrange(Self.place(one), with: cell[Self.place(other)])
            try expect(.cellForged, changed, "chunk \(other) also as \(one)")
            changed.replaceSubrange(Self.place(other), with: cell[Self.place(one)])
            try expect(.cellForged, changed, "\(one) and \(other) swapped")
            var shorter = cell
            shorter.removeSubrange(Self.place(one))
            try expect(.cellForged, shorter, "without chunk \(one)")
        }
    }

    @Test("a cell that is cut at or near a chunk's border, or extended, is refused at once") func truncated() throws {
        let borders = (0...3).map { Self.header + $0 * Self.sealed } + [cell.count]
        for border in borders {
            for length in [border - 17, border - 16, border - 1, border, border + 1, border + 16]
            where length < cell.count {
                // Bytes that cannot be a cell give another error than a cell that was cut.
                let due: LockstepError.Code =
                    length <= Self.header ? .cellMalformed : .cellForged
                try expect(due, Array(cell[..<length]), "\(length) bytes")
                Refusal.expect(due) {
                    try connection.withSealedBlob(SealedBlobWorkbench.place(1)) { _ in }
                }
            }
        }
        for more in [1, 15, 16, 17, Self.sealed] {
            let tail = [UInt8](repeating: 0, count: more)
            try expect(.cellForged, cell + tail, "\(more) more")
        }
        try expect(.cellForged, cell + cell[Self.place(0)], "a chunk more")
        // The last chunk after an extra one: 3 full ones, one more, the short one.
        var longer = cell
        longer.insert(contentsOf: cell[Self.place(0)], at: Self.place(3).lowerBound)
        try expect(.cellForged, longer, "one between")
    }

    @Test("no bit of salt, commitment, version, chunk or tag can be changed")
    func flipped() throws {
        var places = Array(0..<Self.header)
        for chunk in 0..<4 {
            let end = min(Self.place(chunk).upperBound, cell.count)
            places += [Self.place(chunk).lowerBound, end - 17, end - 16, end - 1]
        }
        for place in places {
            var changed = cell
            changed[place] ^= 1 << UInt8(place % 8)
            let codes = try codes(changed)
            let due: [LockstepError.Code] =
                place == 0
                ? [.cellMalformed, .cellForged] : place < 5 ? [.keyUnavailable, .cellMalformed] : [.cellForged]
            #expect(codes.allSatisfy { $0.map(due.contains) == true }, "byte \(place): \(codes)")
        }
    }

    @Test("chunks, salt and commitment of another cell do not fit, not even all together") func spliced() throws {
        let other = try connection.cell(ofReel: 2)
        for chunk in 0..<3 {
            var changed = cell
            changed.replaceSubrange(Self.place(chunk), with: other[Self.place(chunk)])
            try expect(.cellForged, changed, "chunk \(chunk) of another row")
        }
        try expect(.cellForged, other, "another row's")
        for range in [5..<29, 29..<61, 5..<61] {
            var changed = cell
            changed.replaceSubrange(range, with: other[range])
            try expect(.cellForged, changed, "bytes \(range) of another row's")
        }
        // The same row, sealed again: its chunks are under another key.
        try connection.write(SealedBlobWorkbench.bytes(3 * 16_384 + 500), toReel: 1)
        let again = try connection.cell(ofReel: 1)
        var changed = again
        changed.replaceSubrange(Self.place(1), with: cell[Self.place(1)])
        try expect(.cellForged, changed, "a chunk of an older cell")
        // Only a signature detects this: the older cell as a whole.
        #expect(try codes(cell) == [nil, nil, nil])
    }

    @Test("bytes before a wrong chunk can be read, and none of the wrong one")
    func later() throws {
        var changed = cell
        changed[Self.place(2).lowerBound + 5] ^= 1
        try connection.plant(changed, inReel: 1)
        try connection.withSealedBlob(SealedBlobWorkbench.place(1)) { blob in
            let bytes = SealedBlobWorkbench.bytes(2 * 16_384 - 1)
            let before = try blob.read(at: 0, count: bytes.count)
            #expect(before == bytes)
            Refusal.expect(.cellForged) { _ = try blob.read(at: bytes.count, count: 1) }
            Refusal.expect(.cellForged) { _ = try blob.read(at: 10, count: bytes.count) }
            let behind = try blob.read(at: 3 * 16_384, count: 500)
            #expect(behind == Array(SealedBlobWorkbench.bytes(3 * 16_384 + 500).suffix(500)))
        }
    }

    @Test("an authentic plaintext that does not encode a value is refused")
    func unknownForm() throws {
        let place = try SealedPlace(SealedBlobWorkbench.place(1), connection)
        let padding = [UInt8](repeating: 0, count: 70_000)
        let plaintexts: [[UInt8]] = [
            [], [0x44], [0x0B, 1], [0x01, 0], [0x84], [0x84, 0], [0x84, 1, 2], [0x84, 7, 0x80] + padding,
        ]
        for plaintext in plaintexts {
            var header: [UInt8] = []
            let cipher = place.column.cipher
            var message = try cipher.chunkedCipher().begin(&header, cipher.tools, place.binding)
            let layout = try ChunkedLayout(plaintextLength: plaintext.count)
            for number in 0..<layout.chunkCount {
                var chunk = Array(plaintext[try layout.plaintextRange(ofChunk: number)])
                chunk += [UInt8](repeating: 0, count: 16)
                var span = chunk.mutableSpan
                try message.seal(
                    inPlace: &span, number: number, isLast: number == layout.lastChunk)
                header += chunk
            }
            try connection.plant(header, inReel: 1)
            Refusal.expect(.cellMalformed) { _ = try connection.readReel(1) }
        }
    }
}
