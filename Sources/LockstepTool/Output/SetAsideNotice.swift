import Lockstep
import SystemPackage

/// Commits that are in no database: damaged logs that were set aside.
enum SetAsideNotice {
    /// Names the copies beside a database whose content a command takes for all that there is.
    static func show(_ database: FilePath) {
        let copies = try? SetAsideLog.copies(of: database) + SetAsideLog.strays(beside: database)
        for copy in copies ?? [] {
            Output.note("notice: \(copy) was set aside with a damaged log, whose commits are not in \(database)")
            Output.note("hint: `lockstep salvage` of its database reads it; remove it when nothing in it is needed")
        }
    }
}
