import FaultyCalls
import Foundation
import SystemPackage

@testable import Lockstep

// Rotates the key of FOLDER/data.db in a process of its own, which meets with a fault at one of the system's
// calls that change files.
//
//   RotationWorker rotate FOLDER FAULT CALL         as it is due
//   RotationWorker promote-first FOLDER FAULT CALL  in a wrong order: what the tests must notice
//
// FAULT is kill, tear, lose, lie, once, staying or full; CALL counts from 1 on the calls to files in the
// folder. To lose power it needs a folder `lost` in FOLDER. The keyring is data.keyring, which my.key opens.
// Exits with 0 if the rotation succeeded and with 1 if it told of an error, and prints how many calls it
// made, and which.

/// Promotes the new key before the file is replaced: killed between the two, no key in use opens it.
func promoteFirst(_ database: FilePath, _ file: KeyringFile, _ keyring: inout Keyring) throws {
    let old = try keyring.databaseKey()
    let change = try KeyChange.begin(database, key: old)
    var version: UInt32 = 0
    try keyring.change(in: file) { version = try $0.nextDatabaseKey(isFresh: false) }
    let copy = try change.copy(from: old, to: keyring.databaseKey(version: version)) { _ in }
    try keyring.change(in: file) { try $0.promoteDatabaseKey(version, leaving: .retired) }
    try change.replace(with: copy)
}

func rotate(_ action: String, _ folder: FilePath) throws {
    let database = folder.appending("data.db")
    let file = KeyringFile(folder.appending("data.keyring"))
    var keyring = try file.open { _ in try KeyFile.read(folder.appending("my.key")) }
    if action == "promote-first" {
        try promoteFirst(database, file, &keyring)
    } else {
        _ = try DatabaseKeyRotation(of: database, keyring: file).run(&keyring)
    }
}

let arguments = CommandLine.arguments
let faults = [
    "kill": CALLS_KILL, "tear": CALLS_TEAR, "once": CALLS_ONCE, "staying": CALLS_STAYING,
    "full": CALLS_FULL, "lose": CALLS_LOSE, "lie": CALLS_LIE,
]
guard arguments.count == 5, let fault = faults[arguments[3]], let call = Int32(arguments[4]) else {
    exit(64)
}
let folder = FilePath(arguments[2])
var status: Int32 = 0
unsafe folder.withPlatformString { unsafe faulty_calls_arm($0, Int32(fault), call) }
do {
    try rotate(arguments[1], folder)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    status = 1
}
print(faulty_calls_disarm())
print(unsafe String(cString: faulty_calls_trace()), terminator: "")
exit(status)
