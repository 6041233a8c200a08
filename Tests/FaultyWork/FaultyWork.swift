import FaultyCalls
import Foundation
import Lockstep
public import SystemPackage

/// A program of the tests that works in a folder and meets with a fault at one of the system's calls that
/// change files.
///
///     PROGRAM ACTION FOLDER FAULT CALL
///
/// FAULT is kill, tear, lose, lie, once, staying or full, as FaultyCalls describes them; CALL counts from 1 on
/// the calls to files in the folder. To lose power it needs a folder `lost` in FOLDER. It exits with 0 if the
/// work was done and with 1 if that told of an error, which goes to standard error behind its code, and prints
/// how many calls it made, and which.
public enum FaultyWork {
    private static let faults = [
        "kill": CALLS_KILL, "tear": CALLS_TEAR, "once": CALLS_ONCE, "staying": CALLS_STAYING,
        "full": CALLS_FULL, "lose": CALLS_LOSE, "lie": CALLS_LIE,
    ]

    /// Does `work`, by the program's arguments, and ends the program; with 64 if they are none of the above.
    public static func run(_ work: (_ action: String, _ folder: FilePath) throws -> Void) -> Never {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let fault = faults[arguments[3]],
            let call = Int32(arguments[4])
        else { exit(64) }
        let folder = FilePath(arguments[2])
        var status: Int32 = 0
        unsafe folder.withPlatformString { unsafe faulty_calls_arm($0, Int32(fault), call) }
        do {
            try work(arguments[1], folder)
        } catch {
            let code = (error as? LockstepError)?.code.rawValue ?? "foreign"
            FileHandle.standardError.write(Data("\(code): \(error)\n".utf8))
            status = 1
        }
        print(faulty_calls_disarm())
        print(unsafe String(cString: faulty_calls_trace()), terminator: "")
        exit(status)
    }
}
