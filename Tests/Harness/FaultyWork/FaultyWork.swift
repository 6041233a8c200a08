import FaultyCalls
import Foundation
import Lockstep
public import SystemPackage

/// Runs a test program's work in a folder, with a fault at one of the system calls that change files.
///
///     Worker SUBJECT ACTION FOLDER FAULT CALL
///
/// FAULT is kill, tear, lose, lie, once, staying or full, as FaultyCalls describes them; CALL numbers the calls on
/// files in the folder, from 1. To lose power, FOLDER must contain a folder `lost`. The program exits with 0 if the
/// work succeeded and with 1 after an error, which it prints to standard error after the error's code. It prints how
/// many calls it made, and which.
public enum FaultyWork {
    private static let faults = [
        "kill": CALLS_KILL, "tear": CALLS_TEAR, "once": CALLS_ONCE, "staying": CALLS_STAYING,
        "full": CALLS_FULL, "lose": CALLS_LOSE, "lie": CALLS_LIE,
    ]

    /// Runs `work` with the arguments from ACTION on, and ends the program; exits with 64 if the arguments are wrong.
    public static func run(
        _ arguments: [String], _ work: (_ action: String, _ folder: FilePath) throws -> Void
    ) -> Never {
        guard arguments.count == 4, let fault = faults[arguments[2]],
            let call = Int32(arguments[3])
        else { exit(64) }
        let folder = FilePath(arguments[1])
        var status: Int32 = 0
        folder.withPlatformString { faulty_calls_arm($0, Int32(fault), call) }
        do {
            try work(arguments[0], folder)
        } catch {
            let code = (error as? LockstepError)?.code.rawValue ?? "foreign"
            FileHandle.standardError.write(Data("\(code): \(error)\n".utf8))
            status = 1
        }
        print(faulty_calls_disarm())
        print(String(cString: faulty_calls_trace()), terminator: "")
        exit(status)
    }
}
