import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// The reader in Python under Tests/IndependentReaders/KeyringReader, which was written from Keys/README.md alone.
enum PythonReader {
    static let missing: Comment = "there is no python3 with the package cryptography"
    static let folder = Programs.package.appending("Tests/IndependentReaders/KeyringReader")

    static let isPresent: Bool = {
        let outcome = try? run(["-c", "import cryptography.hazmat.primitives.ciphers.aead"])
        return outcome?.status == 0
    }()

    /// What a run printed and how it ended.
    struct Outcome {
        let output: [UInt8]
        let complaint: String
        let status: Int32
    }

    /// Runs python3 with `secret` on its standard input.
    static func run(_ arguments: [String], secret: [UInt8] = []) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Without -B a run would leave its compiled modules among the tests.
        process.arguments = ["python3", "-B"] + arguments
        // A file, not a pipe: a script that ends early would end this process by SIGPIPE.
        let folder = try TemporaryFolder()
        let input = try folder.write("secret", secret)
        let (output, complaint) = (Pipe(), Pipe())
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: input.string))
        process.standardOutput = output
        process.standardError = complaint
        try process.run()
        // The error output is short, so its pipe cannot fill up while the other is read.
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        let complained = complaint.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            output: [UInt8](printed), complaint: String(decoding: complained, as: UTF8.self),
            status: process.terminationStatus)
    }

    /// A keyring as the reader describes it: everything but the keys, and their digests.
    struct Contents: Decodable, Equatable {
        var purpose: String
        var epoch: UInt64
        var subject: String
        var slots: Int
        var opened: String
        var publisher: String?
        var format: Int
        var former: [String]
        var files: [File]
        var sealed: [Sealed]
        var keys: [Key]
        /// The digests of the keys of files with keys of their own, by the databases' ids.
        var own: [String: String]
        var raw: String?
        var salt: String?

        struct Key: Decodable, Equatable {
            var kind: String
            var version: UInt32
            var state: String
            var since: String
            var sha256: String?
        }

        struct File: Decodable, Equatable {
            var database: String
            var key: UInt32
            var own: String?
            var seen: UInt64
            var at: String?
            var from: String?
        }

        struct Sealed: Decodable, Equatable {
            var database: String
            var seen: UInt64
            var registry: String?
            var changes: UInt64
            var mac: String?
            var lowest: UInt32
            var from: String?
            var columns: [Column]
        }

        struct Column: Decodable, Equatable {
            var name: [String]
            var number: UInt32
            var identity: String?
            var mode: String?
            var padding: UInt32?
            var state: String?
            var key: [String]?
            var indexes: [Index]?
        }

        struct Index: Decodable, Equatable {
            var number: UInt32
            var name: String
            var normaliser: String
            var bits: UInt32
            var key: UInt32
        }
    }

    /// The reader's description of a keyring's file.
    static func read(
        _ path: FilePath, _ kind: String, variable: String? = nil, secret: [UInt8]
    ) throws -> Contents {
        let script = folder.appending("read_keyring.py").string
        let outcome = try run([script, path.string, kind] + (variable.map { [$0] } ?? []), secret: secret)
        try #require(outcome.status == 0, "\(outcome.complaint)")
        return try JSONDecoder().decode(Contents.self, from: Data(outcome.output))
    }
}

extension PythonReader.Contents {
    /// The same of a keyring that the library opened by its slot `opened`.
    init(_ ring: borrowing Keyring, opened: String) throws {
        purpose = ring.purpose.rawValue
        epoch = ring.epoch
        subject = Hex.encode(ring.subjectID)
        slots = ring.summary.slots.count
        self.opened = opened
        publisher = nil
        let document = ring.document
        format = document.writtenFormat.rawValue
        former = document.formerRings.map { Hex.encode($0) }
        files = document.files.map {
            File(
                database: Hex.encode($0.database), key: $0.keyVersion, own: $0.salt.map { Hex.encode($0) },
                seen: $0.seen,
                at: $0.path.map { Hex.encode(Array($0.string.utf8)) }, from: $0.origin.map { Hex.encode($0) })
        }
        sealed = document.sealed.map { record in
            Sealed(
                database: Hex.encode(record.database), seen: record.seen,
                registry: record.registry.map { Hex.encode($0) }, changes: record.changes,
                mac: record.isSealed ? Hex.encode(record.code) : nil, lowest: record.lowestKey,
                from: record.origin.map { Hex.encode($0) }, columns: record.columns.map(Column.init))
        }
        keys = []
        for key in ring.summary.keys {
            var digest: String?
            if key.state != .destroyed {
                digest = try Self.digest(ring.key(key.kind, version: key.version))
            }
            keys.append(
                Key(
                    kind: key.kind.rawValue, version: key.version, state: key.state.rawValue,
                    since: "\(key.since)", sha256: digest))
        }
        own = [:]
        for file in document.files {
            guard let salt = file.salt, let entry = try? ring.entry(of: file.keyVersion), entry.state != .destroyed
            else {
                continue
            }
            let key = try ring.databaseKey(FileKey(entry: entry, file: file.database, salt: salt))
            own[Hex.encode(file.database)] = try Self.digest(key.secret)
        }
        if ring.purpose == .database {
            let key = try ring.activeDatabaseKey()
            raw = try Self.digest(key.secret)
            salt = Hex.encode(key.salt)
        }
    }

    static func digest(_ secret: borrowing SecretBytes) throws -> String {
        Hex.encode(try HashFunction.sha256.digest(secret.bytes))
    }
}

extension PythonReader.Contents.Column {
    init(_ column: SealedRecord.Column) {
        let definition = column.definition
        self.init(
            name: [column.table, column.name], number: definition?.number ?? 0,
            identity: definition?.identity.map { Hex.encode($0) }, mode: definition?.mode,
            padding: definition?.padding, state: definition?.state,
            key: definition?.rowKey.map { key in
                key.split(separator: " ").enumerated().map { place, word in
                    place == 0 ? String(word) : PercentEncodedName.decode(word) ?? ""
                }
            },
            indexes: definition?.indexes.map {
                PythonReader.Contents.Index(
                    number: $0.number, name: $0.name, normaliser: $0.normaliser, bits: $0.bits, key: $0.keyVersion)
            })
    }
}
