import BenchKit
import SystemPackage

/// The server's own client.
struct Psql: Sendable {
    let program: FilePath
    let url: String

    /// Runs one command in a schema.
    /// - Returns: The time that psql itself measures, without its start.
    func run(_ schema: String, _ command: String) throws -> Sample {
        let output = try ProgramRun.output(
            program,
            [
                url, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", "SET search_path = \(schema)",
                "-c",
                "\\timing on", "-c", command,
            ])
        guard let line = output.split(separator: "\n").last(where: { $0.hasPrefix("Time: ") }),
            let milliseconds = Double(line.dropFirst(6).prefix { !$0.isWhitespace })
        else { throw BenchError("psql printed no time: \(output)") }
        return Sample(wall: milliseconds / 1000)
    }

    private static let names =
        (BenchSite.columns + ["first_exact_token"]).joined(separator: ", ")

    /// Copies a file of the binary format into a schema's table.
    func copyIn(_ file: FilePath, to schema: String) throws -> Sample {
        try run(schema, "\\copy record (\(Self.names)) FROM '\(file)' (FORMAT binary)")
    }

    /// Copies a schema's table into such a file, in the order of its key.
    func copyOut(of schema: String, to file: FilePath) throws -> Sample {
        let rows = "SELECT \(Self.names) FROM record ORDER BY id"
        return try run(schema, "\\copy (\(rows)) TO '\(file)' (FORMAT binary)")
    }

    /// What the server encrypts itself, from rows that it has already: three values by AES with an initialisation
    /// vector of their own, and an HMAC as a token with a unique index.
    static func encryption(from base: String) -> String {
        let key = "'\\x000102030405060708090a0b0c0d0e0f'::bytea"
        func sealed(_ value: String) -> String {
            """
            (SELECT v || \(base).encrypt_iv(\(value), \(key), v, 'aes')
                FROM (SELECT \(base).gen_random_bytes(16)) AS n(v) WHERE id = id)
            """
        }
        func bytes(_ text: String) -> String { "pg_catalog.convert_to(\(text), 'UTF8')" }
        return """
            BEGIN;
            CREATE TABLE record (id bigint PRIMARY KEY, a bigint NOT NULL, b bigint NOT NULL,
                c bigint NOT NULL, d bigint NOT NULL, ratio double precision NOT NULL,
                first bytea, second bytea, bytes bytea, token bytea UNIQUE);
            INSERT INTO record SELECT id, a, b, c, d, ratio, \(sealed(bytes("first"))),
                \(sealed(bytes("second"))), \(sealed("bytes")),
                \(base).hmac(\(bytes("first")), \(key), 'sha256') FROM \(base).plain;
            COMMIT
            """
    }
}
