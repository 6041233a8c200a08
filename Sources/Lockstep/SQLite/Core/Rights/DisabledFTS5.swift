internal import CSQLCipher

/// Replaces FTS5 on a connection that reads a file of unknown origin.
///
/// SQLite before 3.53.2 writes out of bounds if the tables of an FTS5 index were crafted
/// (``LibraryDefect/fullText``). With this stand-in, no FTS5 code runs on the file: its FTS5 tables cannot be
/// read, SQLite's own check skips them, and their shadow tables are ordinary tables. It records which tables
/// are FTS5 tables, according to SQLite's parser.
@safe
final class DisabledFTS5 {
    /// The names of the FTS5 tables that SQLite has connected to so far. `PRAGMA table_list` makes it connect
    /// to all.
    private(set) var tables: Set<SQLName> = []

    /// The tables that FTS5 keeps besides a table's content; FTS5 can rebuild them from it.
    static let derived: Set<SQLName> = ["data", "idx", "docsize"]
    /// A table's settings and content.
    private static let kept: Set<SQLName> = ["config", "content"]

    /// Replaces FTS5. The connection keeps this object for as long as it is open.
    init(on database: OpaquePointer) throws(LockstepError) {
        // These functions hold a pointer that FTS5 frees when it is replaced.
        for (name, count) in [("fts5", 1), ("fts5_locale", 2), ("fts5_insttoken", 1)] as [(String, Int32)] {
            let code = unsafe sqlite3_create_function_v2(database, name, count, SQLITE_UTF8, nil, nil, nil, nil, nil)
            guard code == SQLITE_OK else { throw unsafe ResultCode.error(code, on: database) }
        }
        // The vocabulary module first, because it uses FTS5.
        for name in ["fts5vocab", "fts5"] {
            let context = unsafe Unmanaged.passRetained(self).toOpaque()
            let code = unsafe sqlite3_create_module_v2(
                database, name, Self.module, context,
                { context in
                    guard let context = unsafe context else { return }
                    unsafe Unmanaged<DisabledFTS5>.fromOpaque(context).release()
                })
            guard code == SQLITE_OK else { throw unsafe ResultCode.error(code, on: database) }
        }
    }

    /// The FTS5 table that a shadow table belongs to, among these, and the part that it holds; nil for every other
    /// table.
    static func owner(
        of table: String, among tables: Set<SQLName>
    ) -> (name: SQLName, part: SQLName)? {
        for name in tables {
            guard let part = SQLName(table).part(after: "\(name.spelling)_") else { continue }
            if derived.contains(part) || kept.contains(part) { return (name, part) }
        }
        return nil
    }

    // MARK: The module

    private typealias Connect =
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, Int32,
            UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32

    private static let connect: Connect = { database, context, count, arguments, answer, _ in
        guard count > 2, let context = unsafe context, let arguments = unsafe arguments, let kind = unsafe arguments[0],
            let name = unsafe arguments[2], let answer = unsafe answer
        else { return SQLITE_ERROR }
        let code = unsafe sqlite3_declare_vtab(database, "CREATE TABLE closed (content)")
        guard code == SQLITE_OK else { return code }
        if unsafe SQLName(String(cString: kind)) == "fts5" {
            let closed = unsafe Unmanaged<DisabledFTS5>.fromOpaque(context).takeUnretainedValue()
            closed.tables.insert(unsafe SQLName(String(cString: name)))
        }
        let table = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
        unsafe table.initialize(to: sqlite3_vtab())
        unsafe answer.pointee = unsafe table
        return SQLITE_OK
    }

    private static let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 = {
        table in
        unsafe table?.deallocate()
        return SQLITE_OK
    }

    private static let isShadow: @convention(c) (UnsafePointer<CChar>?) -> Int32 = { part in
        guard let part = unsafe part else { return 0 }
        let name = unsafe SQLName(String(cString: part))
        return derived.contains(name) || kept.contains(name) ? 1 : 0
    }

    /// SQLite keeps the address, so the module lives until the process ends.
    nonisolated(unsafe) private static let module = unsafe makeModule()

    private static func makeModule() -> UnsafePointer<sqlite3_module> {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        unsafe module.initialize(to: sqlite3_module())
        // The version that has shadow names but takes no part in SQLite's own check.
        unsafe module.pointee.iVersion = 3
        unsafe module.pointee.xConnect = connect
        unsafe module.pointee.xDisconnect = disconnect
        unsafe module.pointee.xShadowName = isShadow
        unsafe module.pointee.xCreate = { _, _, _, _, _, _ in SQLITE_READONLY }
        unsafe module.pointee.xDestroy = { _ in SQLITE_READONLY }
        unsafe module.pointee.xRename = { _, _ in SQLITE_READONLY }
        // Without a plan, SQLite calls none of the functions below.
        unsafe module.pointee.xBestIndex = { _, _ in SQLITE_AUTH }
        unsafe module.pointee.xOpen = { _, _ in SQLITE_AUTH }
        unsafe module.pointee.xClose = { _ in SQLITE_OK }
        unsafe module.pointee.xFilter = { _, _, _, _, _ in SQLITE_AUTH }
        unsafe module.pointee.xNext = { _ in SQLITE_AUTH }
        unsafe module.pointee.xEof = { _ in 1 }
        unsafe module.pointee.xColumn = { _, _, _ in SQLITE_AUTH }
        unsafe module.pointee.xRowid = { _, _ in SQLITE_AUTH }
        return unsafe UnsafePointer(module)
    }
}
