/// The completed part of a script, as a digest, so that a file that was changed afterwards can go on where the earlier
/// one stopped: the same statements have run if the digests are equal.
///
/// The digest is a chain of SHA-256 over the completed pieces in their order. White space, comments, batch sizes and
/// declarations are not in it, because the file may change in them.
///
///     start                  SHA-256("lockstep completed part 1")
///     next                   SHA-256(last ‖ tag ‖ content)
///     'T', statements        a transaction
///     'B', statement         a statement that ran outside of the version's transactions, without its semicolon
///     'F', table ‖ 0 ‖ SQL   a backfill; 'f', table: a backfill of which batches have run
///     'S', directive         a change of a sealed column; 's', directive: one that has begun
///
/// Statements are written as ``MigrationChecksums/significant(_:)`` writes them.
struct CompletedPart {
    private let segments: [MigrationSegment]
    /// The digest before each segment, and after the last one.
    private var before: [[UInt8]]
    /// For each segment of bare statements: the offsets after its statements, in ascending order, with their digests.
    private var inside: [Int: [(offset: Int, digest: [UInt8])]] = [:]

    init(_ segments: [MigrationSegment]) throws(LockstepError) {
        self.segments = segments
        before = [try HashFunction.sha256.digest(Array("lockstep completed part 1".utf8).span)]
        for (index, segment) in segments.enumerated() {
            var digest = before[index]
            switch segment {
            case .transaction(let script):
                let content = Self.statements(of: script)
                // A declaration alone runs nothing.
                if !content.isEmpty { digest = try Self.link(digest, "T", content) }
            case .bare(let sql, _):
                let ends = try Self.statements(of: sql, after: digest)
                inside[index] = ends
                digest = ends.last?.digest ?? digest
            case .backfill(let backfill):
                let sql = MigrationChecksums.significant(Array(backfill.sql.utf8))
                digest = try Self.link(digest, "F", Self.table(of: backfill) + [0] + sql)
            case .sealing(let sealing, _):
                digest = try Self.link(digest, "S", Self.directive(sealing))
            }
            before.append(digest)
        }
    }

    /// The digest at a position; nil if a run cannot have stopped there.
    /// - Parameters:
    ///   - segment: The number of completed segments.
    ///   - cursor: The progress within the next one.
    ///   - hasBegun: Whether a change of a sealed column, which has no cursor, has begun.
    func digest(segment: Int, cursor: Value, hasBegun: Bool) throws(LockstepError) -> [UInt8]? {
        guard before.indices.contains(segment) else { return nil }
        guard segments.indices.contains(segment) else { return before[segment] }
        switch segments[segment] {
        case .backfill(let backfill) where cursor != .null:
            return try Self.link(before[segment], "f", Self.table(of: backfill))
        case .sealing(let sealing, _) where hasBegun:
            return try Self.link(before[segment], "s", Self.directive(sealing))
        case .bare where cursor != .null:
            return inside[segment]?.first { .integer(Int64($0.offset)) == cursor }?.digest
        default: return before[segment]
        }
    }

    /// Whether what is recorded of a version agrees with the digest, in a script that has not changed since.
    func agrees(with unfinished: UnfinishedMigration) throws(LockstepError) -> Bool {
        for hasBegun in [false, true] {
            let digest = try digest(segment: unfinished.segment, cursor: unfinished.cursor, hasBegun: hasBegun)
            if digest != nil, digest == unfinished.completed { return true }
        }
        return false
    }

    /// A place in a script where a run continues.
    struct Position {
        /// The number of completed segments.
        var segment = 0
        /// The progress within the next one.
        var cursor = Value.null
        /// Whether the next one is a change of a sealed column, which has no cursor, and has begun.
        var isSealing = false
    }

    /// The first position with the digest of what has run; nil if that is not the beginning of this script.
    func position(of unfinished: UnfinishedMigration) throws(LockstepError) -> Position? {
        guard let digest = unfinished.completed else { return nil }
        let cursor = unfinished.cursor
        for (index, segment) in segments.enumerated() {
            if before[index] == digest { return Position(segment: index) }
            switch segment {
            case .backfill(let backfill) where cursor != .null:
                let begun = try Self.link(before[index], "f", Self.table(of: backfill))
                if begun == digest { return Position(segment: index, cursor: cursor) }
            case .sealing(let sealing, _):
                let begun = try Self.link(before[index], "s", Self.directive(sealing))
                if begun == digest { return Position(segment: index, isSealing: true) }
            case .bare:
                if let end = inside[index]?.first(where: { $0.digest == digest }) {
                    return Position(segment: index, cursor: .integer(Int64(end.offset)))
                }
            default: continue
            }
        }
        return before[segments.count] == digest ? Position(segment: segments.count) : nil
    }

    // MARK: Pieces

    private static func link(
        _ last: [UInt8], _ tag: Character, _ content: [UInt8]
    ) throws(LockstepError) -> [UInt8] {
        try HashFunction.sha256.digest((last + Array(String(tag).utf8) + content).span)
    }

    /// The statements of a transaction, with the directives that run as part of it.
    private static func statements(of script: MigrationScript) -> [UInt8] {
        var lines: [UInt8] = []
        for item in script.items {
            let text: String
            switch item.content {
            case .sql(let sql): text = sql
            case .directive(let directive):
                switch directive {
                case .rebuild, .set, .dropColumn: text = "-- lockstep: \(directive.spelling)"
                default: continue
                }
            }
            let part = MigrationChecksums.significant(Array(text.utf8))
            guard !part.isEmpty else { continue }
            if !lines.isEmpty { lines.append(UInt8(ascii: "\n")) }
            lines += part
        }
        return lines
    }

    /// The chain over the statements of `sql`, which end at semicolons: at each of them a run can have stopped.
    private static func statements(
        of sql: String, after start: [UInt8]
    ) throws(LockstepError) -> [(offset: Int, digest: [UInt8])] {
        let bytes = Array(sql.utf8)
        var ends: [(offset: Int, digest: [UInt8])] = []
        var first = 0
        func close(at end: Int, next: Int) throws(LockstepError) {
            let content = MigrationChecksums.significant(Array(bytes[first..<end]))
            first = next
            guard !content.isEmpty else { return }
            ends.append((next, try link(ends.last?.digest ?? start, "B", content)))
        }
        for token in SQLTokens(bytes, from: 0) where bytes[token.range].elementsEqual([UInt8(ascii: ";")]) {
            try close(at: token.range.lowerBound, next: token.range.upperBound)
        }
        try close(at: bytes.count, next: bytes.count)
        return ends
    }

    private static func table(of backfill: Backfill) -> [UInt8] {
        Array(SQLName(backfill.table).folded.utf8)
    }

    private static func directive(_ sealing: SealingDirective) -> [UInt8] {
        MigrationChecksums.significant(Array(sealing.result.utf8))
    }
}

extension Migration {
    /// Requires that the file begins with what has run of a version: it may have changed only afterwards.
    /// - Throws: ``LockstepError/Code/migrationChanged``; ``LockstepError/Code/tampered`` if the file is unchanged, but
    ///   does not agree with the record; ``LockstepError/Code/migrationMalformed`` with file and line.
    func requireBeginning(
        of unfinished: UnfinishedMigration, _ origin: ScriptOrigin
    ) throws(LockstepError) {
        let isSame = checksums.bytes == unfinished.checksums.bytes
        guard case .file(let file) = self, unfinished.completed != nil else {
            if checksums.tokens == unfinished.checksums.tokens { return }
            throw PlanFindings.completedPartChanged(unfinished, origin)
        }
        let part = try CompletedPart(file.up.segments(origin))
        guard try part.position(of: unfinished) != nil else {
            guard checksums.tokens == unfinished.checksums.tokens else {
                throw PlanFindings.completedPartChanged(unfinished, origin)
            }
            throw PlanFindings.impossibleProgress(origin)
        }
        guard isSame, try !part.agrees(with: unfinished) else { return }
        throw PlanFindings.impossibleProgress(origin)
    }
}
