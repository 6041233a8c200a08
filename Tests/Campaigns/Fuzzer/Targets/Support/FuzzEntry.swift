import Foundation
import Lockstep

/// The functions that the program's C main calls.
private enum FuzzEntry {
    nonisolated(unsafe) static var target: (any FuzzTarget)?

    static func writeSeeds(to folder: URL) throws {
        for target in FuzzTargets.all {
            let own = folder.appending(path: target.name)
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            for (name, bytes) in try target.seeds() {
                try Data(bytes).write(to: own.appending(path: name))
            }
        }
    }
}

/// Prepares the target of this name; returns 0 if there is one.
@_cdecl("lockstep_fuzz_choose")
public func lockstepFuzzChoose(_ name: UnsafePointer<CChar>) -> CInt {
    guard let type = FuzzTargets.named(unsafe String(cString: name)) else { return 1 }
    do {
        unsafe FuzzEntry.target = try type.init()
        return 0
    } catch {
        print("\(type.name) cannot begin: \(error)")
        return 1
    }
}

/// Runs the target on one input. A finding ends the process.
@_cdecl("lockstep_fuzz_run")
public func lockstepFuzzRun(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    guard let target = unsafe FuzzEntry.target else { return 0 }
    let input = unsafe Array(UnsafeBufferPointer(start: data, count: size))
    _ = outcome(type(of: target).refusals) { try target.run(input) }
    return 0
}

/// Writes each target's seeds into a folder of its own; returns 0 on success.
@_cdecl("lockstep_fuzz_write_seeds")
public func lockstepFuzzWriteSeeds(_ folder: UnsafePointer<CChar>) -> CInt {
    do {
        try FuzzEntry.writeSeeds(to: URL(filePath: unsafe String(cString: folder)))
        return 0
    } catch {
        print("no seeds: \(error)")
        return 2
    }
}

/// Prints the names of the targets, in order.
@_cdecl("lockstep_fuzz_list")
public func lockstepFuzzList() {
    for target in FuzzTargets.all { print(target.name) }
}
