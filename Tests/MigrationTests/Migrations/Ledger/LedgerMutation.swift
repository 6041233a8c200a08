import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// A change that the holder of the database's key can make to the migration records in the database.
struct LedgerMutation {
    /// Why no reader of the ledger and the files can detect it.
    enum Excuse: String, CaseIterable {
        case timesOfVersion = "no file says when a version was applied, for how long, and by which Lockstep"
        case place = "the order of application is the same"
        case timesOfRepeatable = "no file says when a repeatable migration ran"
        case noCode = "a row that has lost its MAC is one that was applied without field keys"
        case otherDataset = "a MAC under a dataset whose keys are not given cannot be checked"
        case howFar = "how far a version has come that takes several transactions, no file says"
    }

    let sql: String
    /// Nil if it must be reported.
    let excuse: Excuse?

    private init(_ sql: String, _ excuse: Excuse? = nil) {
        (self.sql, self.excuse) = (sql, excuse)
    }

    /// Rings the canary, and creates a table.
    static let planted = "SELECT canary(); CREATE TABLE loot (x);"

    /// A random one.
    /// - Parameters:
    ///   - hasCodes: Whether the rows have MACs and the reader has their keys.
    ///   - isBegun: Whether a version is under way.
    static func random(
        hasCodes: Bool, isBegun: Bool, _ source: inout SplitMix64
    ) -> LedgerMutation {
        let row = "WHERE position = \(Int.random(in: 1...4, using: &source))"
        switch Int.random(in: 0..<(isBegun ? 16 : 14), using: &source) {
        case 0..<6: return field(row, hasCodes, &source)
        case 6: return LedgerMutation("DELETE FROM lockstep_migration \(row);")
        case 7: return added(&source)
        case 8: return swapped(&source)
        case 9: return code(row, hasCodes, &source)
        case 10, 11: return repeatable(&source)
        case 12: return planted(isUp: Bool.random(using: &source), isBegun, &source)
        case 13: return LedgerMutation(place(row, hasCodes, &source), hasCodes ? nil : .place)
        default: return underWay(hasCodes, &source)
        }
    }

    // MARK: Kinds

    private static func field(
        _ row: String, _ hasCodes: Bool, _ source: inout SplitMix64
    ) -> LedgerMutation {
        let texts = ["'\(planted)'", "char(10) || '\(planted)'", "'x'", "''", "'9'", "'0001'", "x'00'", "NULL"]
        let any = pick(texts, &source)
        let blob = pick(["randomblob(32)", "zeroblob(32)", "x''", "'text'", "randomblob(31)"], &source)
        let number = pick(["0", "-1", "9223372036854775807", "12.5", "'soon'", "77"], &source)
        switch Int.random(in: 0..<9, using: &source) {
        case 0: return update("name = \(any)", row)
        case 1: return update("down = \(any)", row)
        case 2:
            return update(
                "down = down || \(pick(["' '", "char(10)", "'-- x'", "'\(planted)'"], &source))",
                row)
        case 3: return update("version = \(any)", row)
        case 4: return update("\"set\" = \(any)", row)
        case 5: return update("checksum_bytes = \(blob)", row)
        case 6: return update("checksum_text = \(blob)", row)
        case 7: return update("checksum_tokens = \(blob)", row)
        default:
            let column = pick(["applied_at", "duration", "tool_version"], &source)
            let isNumber = Int64(number).map { column != "duration" || $0 >= 0 } ?? false
            // Any text is a version of Lockstep, and a column of texts turns any number into one.
            let isPossible = isNumber || column == "tool_version"
            return update("\(column) = \(number)", row, !hasCodes && isPossible ? .timesOfVersion : nil)
        }
    }

    private static func added(_ source: inout SplitMix64) -> LedgerMutation {
        let set = pick(["films", "shelves", "music"], &source)
        let version = pick(["5", "7", "99", "x", "02", ""], &source)
        return LedgerMutation(
            """
            INSERT INTO lockstep_migration ("set", version, name, checksum_bytes, checksum_text, checksum_tokens, down,
                applied_at, duration, tool_version)
            SELECT '\(set)', '\(version)', name, checksum_bytes, checksum_text, checksum_tokens, '\(planted)',
                applied_at, duration, tool_version
            FROM lockstep_migration WHERE position = \(Int.random(in: 1...4, using: &source));
            """)
    }

    /// Fields of one row, taken from another.
    private static func swapped(_ source: inout SplitMix64) -> LedgerMutation {
        let to = Int.random(in: 1...4, using: &source)
        let from = to % 4 + 1
        let columns = pick(["name", "down", "checksum_bytes, checksum_text, checksum_tokens", "name, down"], &source)
        return LedgerMutation(
            """
            UPDATE lockstep_migration SET (\(columns)) =
                (SELECT \(columns) FROM lockstep_migration WHERE position = \(from)) WHERE position = \(to);
            """)
    }

    private static func code(
        _ row: String, _ hasCodes: Bool, _ source: inout SplitMix64
    ) -> LedgerMutation {
        guard hasCodes else { return update("name = name || ' '", row) }
        switch Int.random(in: 0..<6, using: &source) {
        case 0:
            return update("mac = NULL, mac_dataset = NULL, mac_key_version = NULL", row, .noCode)
        case 1: return update("mac_dataset = randomblob(16)", row, .otherDataset)
        case 2: return update("mac = randomblob(32)", row)
        // A key that the keyring does not have, which is a notice.
        case 3: return update("mac_key_version = 8", row)
        case 4: return update("mac_key_version = \(pick(["0", "-3", "'x'"], &source))", row)
        default: return update("mac = zeroblob(8)", row)
        }
    }

    private static func repeatable(_ source: inout SplitMix64) -> LedgerMutation {
        let assignment = pick(
            [
                "name = '\(planted)'", "\"set\" = 'films'", "checksum_bytes = randomblob(32)",
                "checksum_text = randomblob(32)", "checksum_tokens = randomblob(32)",
                "name = x'01'",
                "checksum_text = x'01'", "applied_at = 5", "tool_version = 'x'",
            ], &source)
        let isTime = assignment.hasPrefix("applied_at") || assignment.hasPrefix("tool_version")
        return LedgerMutation("UPDATE lockstep_repeatable SET \(assignment);", isTime ? .timesOfRepeatable : nil)
    }

    /// A note of a version that is not under way.
    private static func planted(
        isUp: Bool, _ isBegun: Bool, _ source: inout SplitMix64
    ) -> LedgerMutation {
        let version = Int.random(in: 1...3, using: &source)
        let table =
            isBegun ? "" : "CREATE TABLE lockstep_progress (\(progressColumns), PRIMARY KEY (\"set\", version));"
        return LedgerMutation(
            """
            \(table)
            INSERT INTO lockstep_progress (\(progressColumns)) SELECT "set", version, name, checksum_bytes, checksum_text, checksum_tokens,
                '\(planted)', \(isUp ? 1 : 0), 0, NULL, 0
            FROM lockstep_migration WHERE "set" = 'films' AND version = '\(version)';
            """)
    }

    private static let progressColumns =
        "\"set\", version, name, checksum_bytes, checksum_text, checksum_tokens, down, is_up, segment, cursor, started_at"

    private static func place(
        _ row: String, _ hasCodes: Bool, _ source: inout SplitMix64
    ) -> String {
        // All positions further apart, in the same order; or with MACs one of them.
        hasCodes
            ? "UPDATE lockstep_migration SET position = 50 \(row);"
            : """
            UPDATE lockstep_migration SET position = -10 * position;
            UPDATE lockstep_migration SET position = -position;
            """
    }

    /// Of the version that is under way.
    private static func underWay(_ hasCodes: Bool, _ source: inout SplitMix64) -> LedgerMutation {
        // Without a digest the row is one of an earlier build.
        let harmless = [
            "completed = NULL, segment = 0", "completed = NULL, segment = 2",
            "completed = NULL, cursor = 1", "started_at = 1",
        ]
        let assignment = pick(
            harmless + [
                "name = 'x'", "down = '\(planted)'", "down = NULL", "down = down || '\(planted)'",
                "is_up = 0",
                "checksum_text = randomblob(32)", "checksum_tokens = randomblob(32)",
                "completed = randomblob(32)", "completed = x'00'", "completed = 1",
                "segment = 0", "segment = 2", "cursor = 1", "version = '77'",
                "version = 'x'", "\"set\" = 'music'", "segment = -1", "segment = 'x'",
                "is_up = 'x'",
            ], &source)
        return LedgerMutation(
            "UPDATE lockstep_progress SET \(assignment);", harmless.contains(assignment) && !hasCodes ? .howFar : nil)
    }

    private static func update(
        _ assignment: String, _ row: String, _ excuse: Excuse? = nil
    ) -> LedgerMutation {
        LedgerMutation("UPDATE lockstep_migration SET \(assignment) \(row);", excuse)
    }

    private static func pick<Element>(_ elements: [Element], _ source: inout SplitMix64) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &source)]
    }
}
