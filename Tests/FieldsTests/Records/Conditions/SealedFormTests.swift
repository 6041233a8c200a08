#if Foundation
import Foundation
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Sealed values in several forms are found by what is read, or refused") struct SealedFormTests {
    struct Thing: Record, Equatable {
        var id: Int64?
        var code: UUID
        var at: Date
        var price: Decimal
    }

    private static let code = "5f0c8a2e-3b64-4b7a-9c0e-1d2f3a4b5c6d"

    private func things(_ rows: String) throws -> Connection {
        let workbench = try SealedTableWorkbench(rows: 0)
        let db = try workbench.open()
        try db.run(
            script: """
                CREATE TABLE thing (id INTEGER PRIMARY KEY, code TEXT, at TEXT, price TEXT);
                INSERT INTO thing (code, at, price) VALUES \(rows);
                """)
        for column in ["code", "at", "price"] {
            try db.protect(
                column, of: "thing", keys: workbench.keys, mode: .random, padding: .none,
                indexes: [.init(.exact, mayBeHistogram: true)], batch: 100)
        }
        return try workbench.open()
    }

    @Test("A UUID in either case, and a date in any notation")
    func found() throws {
        let db = try things(
            """
            ('\(Self.code)', '2026-11-23 20:00:00', '1.5'),
            ('\(Self.code.uppercased())', '2026-11-23T20:00:00.000000Z', '2'),
            ('0F0C8A2E-3B64-4B7A-9C0E-1D2F3A4B5C6D', '2026-11-23T20:00:00.001', '1.5')
            """)
        let things = try db.all(Thing.self, orderBy: { [$0.id.ascending] })
        #expect(try db.all(Thing.self, where: { $0.code == things[0].code }).count == 2)
        #expect(try db.all(Thing.self, where: { $0.at == things[0].at }).count == 2)
        #expect(try db.all(Thing.self, where: { $0.at == things[2].at }) == [things[2]])
        #expect(try db.count(Thing.self, where: { $0.price == things[0].price }) == 2)
        #expect(
            try db.count(Thing.self, where: { $0.at.in([things[0].at, things[2].at]) }) == 3)
        #expect(
            try db.count(
                Thing.self, where: { _ in .scanning { $0.at > things[0].at } }) == 1)
        let order = try db.all(Thing.self, orderBy: { [$0.at.descending, $0.id.ascending] })
        #expect(order.map(\.id) == [3, 1, 2])
    }

    @Test(
        "What no blind index finds is not read",
        arguments: ["'2026-11-23T20:00:00.0000001', '1'", "'2026-11-23', '1.50'"])
    func refused(row: String) throws {
        let db = try things("('\(Self.code)', \(row))")
        let error = Refusal.error(.decodeMismatch) { _ = try db.all(Thing.self) }
        #expect(
            error?.message.contains("is sealed, and a value of it has another form") == true)
        #expect(error?.description.contains("2026") == false)
    }
}
#endif
