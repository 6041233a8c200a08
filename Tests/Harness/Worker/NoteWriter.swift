import Foundation
import Lockstep
import SystemPackage

/// A program beside commands: it inserts notes until the file DATABASE.stop exists, and prints the outcome of each.
///
/// "there N" is a note whose insert was acknowledged, "maybe N" one whose insert failed. If an error ends its
/// connection, it reads the keyring and opens the database again, as a program that starts does.
enum NoteWriter {
    static func run(_ work: Commits) {
        let stop = work.path.string + ".stop"
        var number = 1000
        while !FileManager.default.fileExists(atPath: stop) {
            do {
                var options = ConnectionOptions()
                options.synchronous = .normal
                options.busyTimeout = .milliseconds(100)
                let connection = try Connection.open(work.path, key: work.key.key(of: work.path), options: options)
                while !FileManager.default.fileExists(atPath: stop) {
                    number += 1
                    do {
                        try connection.execute("INSERT INTO note VALUES (?, ?)", number, "note \(number)")
                        print("there \(number)")
                    } catch let error where error.code == .busy {
                        print("maybe \(number)")
                    } catch {
                        print("maybe \(number)")
                        throw error
                    }
                    fflush(nil)
                }
            } catch {
                print("again \((error as? LockstepError)?.code.rawValue ?? "other")")
            }
        }
    }
}
