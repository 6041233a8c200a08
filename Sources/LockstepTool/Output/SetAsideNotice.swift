import Lockstep
import SystemPackage

/// Commits that are in no database: damaged logs that were set aside.
enum SetAsideNotice {
    /// Names the copies beside a database whose content a command takes for all that there is.
    static func show(_ database: FilePath) {
        for notice in (try? SetAsideLog.notices(beside: database)) ?? [] { Output.note("notice: \(notice.typed)") }
    }
}
