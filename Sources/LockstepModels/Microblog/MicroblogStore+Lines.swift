internal import FoundationEssentials
internal import Lockstep
public import SystemPackage

extension MicroblogStore {
    /// Imports the users and statuses of a file of JSON lines, in one transaction.
    ///
    /// Each line is one JSON object in UTF-8, of at most 16 MiB, and ends in LF or CRLF; the last one can also end with
    /// the file. A byte-order mark at the beginning is skipped. Fields that are not named here are ignored.
    ///
    ///     {"kind":"user","id":1,"name":"ann","screenName":"Ann","profileImageURL":"…","mbtype":"…","city":"Köln"}
    ///     {"kind":"status","user":1,"source":"web","createdAt":1346186100000000,"text":"Hello"}
    ///
    /// - A user has `id` (a whole number) and `name`; `screenName` defaults to the name, the others are optional.
    /// - A status has `text`; `user` is the `id` of a user on an earlier line, or missing. `createdAt` is a number of
    ///   microseconds since 1970 in UTC, or a string such as `2012-08-28T20:35:00Z` or `Tue Aug 28 20:35:00 +0800
    ///   2012`; it can be missing, and `createdAtAsWritten` can contain the original date instead.
    /// - Keys are only valid in the file: each user and status gets a new one. Existing content of the store stays.
    ///
    /// Any other line is left out and reported with its number, as is a status whose user is left out. If reading or
    /// writing fails, nothing is imported.
    /// - Parameters:
    ///   - path: The file.
    ///   - identity: Opens the file if it is sealed for recipients.
    /// - Throws: `LockstepError.Code.notFound` and other errors of reading the file;
    ///   `LockstepError.Code.slotNotOpened` if it is sealed and `identity` does not open it;
    ///   `LockstepError.Code.malformedInput` if it is not sealed and there is an identity;
    ///   `LockstepError.Code.full`; the errors of every call, see ``ModelStore``.
    public func importJSONLines(
        _ path: FilePath, opening identity: ImportIdentity? = nil
    ) throws -> ImportReport {
        try writing { try MicroblogImport.run(path, identity, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func importJSONLines(
        _ path: FilePath, opening identity: ImportIdentity? = nil
    ) async throws -> ImportReport {
        try await writing { try MicroblogImport.run(path, identity, $0) }
    }

    /// Passes all users and then all statuses to `write`, line by line, as `importJSONLines` reads them, and
    /// returns how many there were. All are from one snapshot; one line at a time is in memory.
    /// - Throws: The errors of `write`; the errors of every call, see ``ModelStore``.
    public func exportJSONLines(_ write: ([UInt8]) throws -> Void) throws -> Int {
        try reading { connection in try MicroblogExport.run(connection, write) }
    }

    /// The same without blocking. `write` does not run on an actor.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func exportJSONLines(
        _ write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> Int {
        try await reading { connection in try MicroblogExport.run(connection, write) }
    }
}

private enum MicroblogImport {
    static func run(
        _ path: FilePath, _ identity: ImportIdentity?, _ connection: borrowing Connection
    ) throws -> ImportReport {
        let decoder = JSONDecoder()
        var users: [Int64: Int64] = [:]
        return try ImportReport.ofLines(path, identity, connection) { line in
            try take(MicroblogLine.parse(line, decoder), &users, connection)
        }
    }

    private static func take(
        _ content: MicroblogLine.Content, _ users: inout [Int64: Int64], _ connection: borrowing Connection
    ) throws {
        switch content {
        case .user(let user):
            guard users[user.id] == nil else {
                throw ImportProblem("its id is that of an earlier user")
            }
            users[user.id] = try MicroblogWork.add(user, connection)
        case .status(var status):
            if let id = status.userID {
                guard let known = users[id] else {
                    throw ImportProblem("its user is on no earlier line")
                }
                status.userID = known
            }
            try MicroblogWork.addKnown(status, connection)
        }
    }
}

private enum MicroblogExport {
    static func run(
        _ connection: borrowing Connection, _ write: ([UInt8]) throws -> Void
    ) throws -> Int {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var count = 0
        let users = try connection.prepare("SELECT \(User.columns) FROM User ORDER BY Id")
        try users.forEach { row in
            try write(MicroblogLine.bytes(of: User(row: row), encoder))
            count += 1
        }
        let entries = try connection.prepare("\(TimelineEntry.selection) ORDER BY Status.Id")
        try entries.forEach { row in
            try write(MicroblogLine.bytes(of: TimelineEntry(row: row), encoder))
            count += 1
        }
        return count
    }
}
