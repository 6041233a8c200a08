import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Records")
struct StoredRecordTests {
    @Test("A record contains its values")
    func values() {
        // A seven-byte header: NULL, 0, 1, an integer of one byte, a TEXT of two, a BLOB of one.
        let payload: [UInt8] = [7, 0, 8, 9, 1, 17, 14, 0xFE, 0x61, 0x62, 0x63]
        #expect(
            StoredRecord.values(payload) == [
                .null, .integer(0), .integer(1), .integer(-2), .text([0x61, 0x62]), .blob([0x63]),
            ])
    }

    @Test("Types that SQLite reserves make a record invalid", arguments: [10, 11] as [UInt8])
    func reserved(type: UInt8) {
        #expect(SerialType(UInt64(type)) == nil)
        #expect(StoredRecord.types([2, type]) == nil)
        #expect(StoredRecord.values([2, type]) == nil)
    }

    @Test("A header that ends within a type makes a record invalid")
    func overrun() {
        // The header has two bytes, and so has its one type: a BLOB of 58 bytes.
        let payload: [UInt8] = [2, 0x81, 0x00] + [UInt8](repeating: 7, count: 70)
        #expect(StoredRecord.types(payload) == nil)
        #expect(StoredRecord.values(payload) == nil)
    }

    @Test("Fields that extend beyond the payload make a record invalid")
    func cutOff() {
        #expect(StoredRecord.values([2, 6, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(StoredRecord.values([2, 6, 0, 0, 0, 0, 0, 0, 0, 5]) == [.integer(5)])
    }

    @Test("A row of the schema counts only if all of its values agree")
    func schemaRows() {
        func object(
            _ type: String = "table", _ name: String = "t", root: StoredValue = .integer(2),
            sql: StoredValue = .text(Array("CREATE TABLE t (a)".utf8)), more: Int = 0
        ) -> SchemaObject? {
            let row: [StoredValue] = [
                .text(Array(type.utf8)), .text(Array(name.utf8)), .text(Array("t".utf8)), root, sql,
            ]
            return SchemaObject(row + [StoredValue](repeating: .null, count: more), .utf8)
        }
        let view = StoredValue.text(Array("CREATE VIEW t AS SELECT 1".utf8))
        #expect(object()?.root == 2 && object()?.table == "t")
        #expect(object("view", root: .null, sql: view)?.root == 0)
        #expect(object("index", "sqlite_autoindex_t_1", sql: .null)?.sql == nil)
        for wrong in [
            object("view"), object("thing"), object("table", "u"), object(root: .integer(-1)),
            object(root: .integer(1 << 32)), object(root: .text([50])), object(sql: .null),
            object(sql: .blob([0])), object("index", sql: .blob([0])), object(more: 1),
        ] {
            #expect(wrong == nil)
        }
    }
}
