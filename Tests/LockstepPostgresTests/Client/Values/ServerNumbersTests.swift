import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Numbers from servers", .withServer)
struct ServerNumbersTests {
    @Test("No text makes a count that is negative or overflows, and every count that a server has is read")
    func counts() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let number = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random)
            let count = ServerCount(serverText: "\(number)")?.value
            #expect(count.map { $0 >= 0 && !$0.multipliedReportingOverflow(by: 1024).overflow } ?? true)
            if (0...1 << 40).contains(number) { #expect(count == Int(number)) }
            #expect(UInt32(serverText: "\(number)").map(Int64.init) == (UInt32(exactly: number) == nil ? nil : number))
        }
        for text in ["", "-", "+", "x", "1.5", "NaN", "99999999999999999999", " 1"] {
            #expect(ServerCount(serverText: text) == nil && UInt32(serverText: text) == nil)
        }
    }

    @Test(
        "A catalogue whose numbers are changed is an error, and ends nothing",
        arguments: ["-1", "4294967296", "9223372036854775807"])
    func catalogue(_ number: String) throws {
        let scratch = try SealedScratch()
        let operate = try scratch.operate()
        try operate.execute(
            ServerSQL(
                verbatim:
                    "CREATE FUNCTION lie(oid) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS 'SELECT \(number)::bigint'"
            ))
        try operate.execute("SET allow_system_table_mods = on")
        try operate.execute(
            "UPDATE pg_cast SET castfunc = 'lie'::regproc WHERE castsource = 'oid'::regtype AND casttarget = 'int8'::regtype"
        )
        refused(.decodeMismatch) { _ = try scratch.connection() }
        let report = try ServerVerification(sets: []).run(on: operate)
        #expect(!report.isClean)
    }

    @Test(
        "A position that no statement has is no line",
        arguments: ["0", "-5", "x", "99999999999999999999", "2147483647"])
    func positions(_ text: String) {
        let failure = ServerFailure(
            state: "42601", message: "syntax error", position: ServerCount(serverText: text)?.value)
        #expect(failure.error(in: "SELECT\n1").message.contains("syntax error"))
    }
}
