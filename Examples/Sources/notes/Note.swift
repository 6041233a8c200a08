import Foundation
import Lockstep

/// A note, as the table `note` has it.
struct Note: Record {
    var id: Int64?
    var text: String
    var written: Date

    /// One line of a list.
    var line: String {
        let first = text.split(separator: "\n").first ?? ""
        return "\(id ?? 0)  \(written.formatted(.iso8601.year().month().day()))  \(first)"
    }
}
