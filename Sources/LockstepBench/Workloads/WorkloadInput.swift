/// The file that a run of a workload starts with.
enum WorkloadInput: Sendable {
    /// None: the run makes one if it needs one.
    case none
    /// A file of another workload, which all runs share.
    case file(of: any Workload.Type)
    /// A copy of such a file for each run, because the run changes it.
    case copy(of: any Workload.Type)

    /// The workload that makes the file.
    var maker: (any Workload.Type)? {
        switch self {
        case .none: nil
        case .file(let maker), .copy(let maker): maker
        }
    }
}
