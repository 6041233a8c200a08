import Foundation
import LockstepPostgres
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// The reader of servers in Python under Tests/IndependentReaders/CellReader, written from the articles alone.
enum ServerReader {
    static let missing: Comment = "there is no python3 with the package cryptography"

    static let isPresent: Bool = {
        let outcome = try? run(
            ["-c", "import cryptography.hazmat.primitives.ciphers.aead"], "")
        return outcome?.status == 0
    }()

    /// What the reader is given besides the rows.
    struct Request: Encodable {
        let dataset: String
        let field_keys: [String: String]
        let index_keys: [String: String]
        let publisher: String

        /// - Parameter ring: A fields keyring with one key of each kind.
        init(_ ring: borrowing Keyring) throws {
            dataset = Hex.encode(ring.subjectID)
            field_keys = ["1": Self.hex(try ring.key(.field, version: 1))]
            index_keys = ["1": Self.hex(try ring.key(.index, version: 1))]
            publisher = try ring.publisher().description
        }

        private static func hex(_ secret: borrowing SecretBytes) -> String {
            Hex.encode((0..<secret.count).map { secret.bytes[$0] })
        }
    }

    /// What it found in a folder.
    struct Findings: Decodable {
        let registry: String
        let manifest: String
        let tokens: String
        /// What the cells of each column open to, in the order of the rows' keys.
        let cells: [String: [String]]
    }

    static func read(
        _ folders: [TemporaryFolder], _ request: Request
    ) throws -> [Findings] {
        let script = Programs.package.appending("Tests/IndependentReaders/CellReader/read_server.py")
        let input = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        let outcome = try run([script.string] + folders.map(\.path.string), input)
        try #require(outcome.status == 0, "\(outcome.complaint)")
        return try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Findings.self, from: Data($0.utf8))
        }
    }

    private static func run(
        _ arguments: [String], _ input: String
    ) throws -> (status: Int32, output: String, complaint: String) {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Without -B a run would leave its compiled modules among the tests.
        process.arguments = ["python3", "-B"] + arguments
        let (output, complaint) = (try folder.write("output", ""), try folder.write("complaint", ""))
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: folder.write("input", input).string))
        process.standardOutput = FileHandle(forWritingAtPath: output.string)
        process.standardError = FileHandle(forWritingAtPath: complaint.string)
        try process.run()
        process.waitUntilExit()
        func text(_ path: FilePath) throws -> String {
            String(decoding: try Bytes.read(path), as: UTF8.self)
        }
        return (process.terminationStatus, try text(output), try text(complaint))
    }

    // MARK: Rows

    /// The rows as the connection's transaction has them, in the server's own texts: what server_rows.py reads.
    static func export(_ server: borrowing ServerConnection) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        func copy(_ sql: String, to name: String) throws {
            var bytes: [UInt8] = []
            try server.copyOut(ServerSQL(verbatim: sql)) { bytes += $0 }
            try folder.write(name, bytes)
        }
        try copy(
            """
            COPY (SELECT table_name, column_name, data_type FROM information_schema.columns
            WHERE table_schema = 'public' AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position) TO STDOUT
            """, to: "columns")
        try copy(
            """
            COPY (SELECT table_name, column_name FROM information_schema.key_column_usage AS k
            JOIN information_schema.table_constraints AS t USING (constraint_schema, constraint_name, table_name)
            WHERE constraint_schema = 'public' AND constraint_type = 'PRIMARY KEY'
            ORDER BY table_name, k.ordinal_position) TO STDOUT
            """, to: "keys")
        let tables = try server.query(
            "SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = 'public'"
        ) { try $0[0] as String }
        for table in tables { try copy("COPY \"\(table)\" TO STDOUT", to: "rows.\(table)") }
        return folder
    }
}
