internal import CPostgreSQL
internal import Lockstep

/// The result of a statement: its rows, and what libpq has of it beside them.
// Sendable by this proof: libpq's functions that read a result change nothing in it, and only `deinit` frees it.
@safe
final class ServerResult: @unchecked Sendable {
    private let result: OpaquePointer
    private let rows: ServerRows

    /// - Parameter rows: The rows that came before the result itself.
    init(_ result: OpaquePointer, _ rows: ServerRows = ServerRows()) {
        unsafe self.result = unsafe result
        self.rows = rows
    }

    deinit { unsafe PQclear(result) }

    var status: ExecStatusType { unsafe PQresultStatus(result) }
    var rowCount: Int { rows.count }
    var columnCount: Int { Int(unsafe PQnfields(result)) }

    /// The command, such as `INSERT 0 1`.
    var command: String { unsafe String(cString: PQcmdStatus(result)) }

    /// How many rows the statement inserted, changed, deleted, or returned.
    var affected: Int { unsafe ServerCount(serverText: String(cString: PQcmdTuples(result)))?.value ?? 0 }

    var failure: ServerFailure {
        ServerFailure(
            state: field(Int32(UInt8(ascii: "C"))) ?? "", message: field(Int32(UInt8(ascii: "M"))) ?? message,
            position: field(Int32(UInt8(ascii: "P"))).flatMap { ServerCount(serverText: $0)?.value },
            table: field(Int32(UInt8(ascii: "t"))),
            column: field(Int32(UInt8(ascii: "c"))), place: field(Int32(UInt8(ascii: "W"))))
    }

    private var message: String { unsafe String(cString: PQresultErrorMessage(result)) }

    private func field(_ code: Int32) -> String? {
        guard let text = unsafe PQresultErrorField(result, code) else { return nil }
        return unsafe String(cString: text)
    }

    func name(_ column: Int) -> String {
        guard let text = unsafe PQfname(result, Int32(column)) else { return "" }
        return unsafe String(cString: text)
    }

    func type(_ column: Int) -> UInt32 { unsafe PQftype(result, Int32(column)) }

    func origin(_ column: Int) -> ResultOrigin? {
        let table = unsafe PQftable(result, Int32(column))
        let number = unsafe PQftablecol(result, Int32(column))
        return table == 0 || number <= 0 ? nil : ResultOrigin(table: table, column: Int(number))
    }

    func isNull(_ row: Int, _ column: Int) -> Bool { rows.isNull(row, column) }

    /// Whether another result of the same statement has the same values in the same order.
    func hasSameValues(as other: ServerResult) -> Bool {
        guard rowCount == other.rowCount, columnCount == other.columnCount else { return false }
        for row in 0..<rowCount {
            for column in 0..<columnCount {
                guard type(column) == other.type(column),
                    isNull(row, column) == other.isNull(row, column)
                else { return false }
                let isSame = unsafe withBytes(row, column) { one in
                    unsafe other.withBytes(row, column) { unsafe one.elementsEqual($0) }
                }
                guard isSame else { return false }
            }
        }
        return true
    }

    func withBytes<Output>(_ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Output) -> Output {
        unsafe rows.withBytes(row, column, body)
    }
}
