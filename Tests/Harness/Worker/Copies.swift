import FaultyVFS
import FaultyWork
import Foundation
import Lockstep
import SystemPackage

/// Works on a database in a separate process, which can be killed and whose memory can be measured.
///
///     Worker copies backup FOLDER CALL     data.db becomes copy.db
///     Worker copies restore FOLDER CALL    copy.db takes the place of data.db
///     Worker copies blob FOLDER BYTES      a blob of that many bytes is written to a temporary store and read
///     Worker copies sealed FOLDER BYTES    a sealed blob is written, read, sealed under a new key and verified
///
///     Worker copies backup FOLDER FAULT CALL     as above, with a fault of FaultyWork at one of the system calls that
///     Worker copies restore FOLDER FAULT CALL    change files
///
/// The first two kill themselves, as `kill -9` does, at call number CALL (from 1 on) of the file layer to a file in the
/// folder; they exit with 0 if they end before that. The key is in data.keyring, which my.key opens. The blob and
/// sealed actions print by how many KiB each step raises the process's memory peak.
enum Copies {
    struct Failed: Error {}

    static func copy(_ action: String, _ folder: FilePath, dyingAt call: Int32) throws {
        guard faulty_vfs_install() == 0 else { throw Failed() }
        folder.withPlatformString {
            faulty_vfs_arm($0, Int32(FAULTY_ALL), Int32(FAULTY_KILL), call)
        }
        try copy(action, folder)
    }

    static func copy(_ action: String, _ folder: FilePath) throws {
        let (data, backup) = (folder.appending("data.db"), folder.appending("copy.db"))
        let key = try KeyringFile(folder.appending("data.keyring")).open { _ in
            try KeyFile.read(folder.appending("my.key"))
        }.activeDatabaseKey()
        switch action {
        case "backup":
            try Store.open(data, rawKey: key).blocking.backup(to: backup)
        default:
            try Restore(data, from: backup).run(key: key, backupKey: key)
        }
    }

    static func blob(bytes: Int) async throws {
        let store = try Store.temporary()
        try await store.write { connection in
            try connection.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, data BLOB)")
        }
        let written = try await Memory.growth {
            try await store.insertBlob(into: "photo", "data", from: Chunks(total: bytes)) {
                connection in
                try connection.execute("INSERT INTO photo (data) VALUES (?)", ZeroBytes(bytes))
                return connection.lastInsertedRowID
            }
        }
        let read = try await Memory.growth {
            var offset = 0
            for try await chunk in store.chunks(of: BlobPlace(table: "photo", column: "data", row: 1)) {
                guard chunk == Chunks.chunk(at: offset, chunk.count) else { throw Failed() }
                offset += chunk.count
            }
            guard offset == bytes else { throw Failed() }
        }
        print(written, read)
    }

    /// Works by the arguments after "copies".
    static func run(_ arguments: [String]) async -> Never {
        if arguments.count == 4 { FaultyWork.run(arguments, copy) }
        guard arguments.count == 3, let number = Int(arguments[2]) else { exit(64) }
        let folder = FilePath(arguments[1])
        do {
            switch arguments[0] {
            case "blob": try await blob(bytes: number)
            case "sealed": try await SealedWork.run(folder, bytes: number)
            default: try copy(arguments[0], folder, dyingAt: Int32(clamping: number))
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
        exit(0)
    }
}
