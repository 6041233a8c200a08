/// Reports a job's progress to the program, and keeps the error with which the program stopped it: parts of a job take
/// errors for failures of their own.
final class JobReporter {
    private let progress: JobProgress.Handler
    private var last: JobProgress?
    private(set) var stop: (any Error)?

    init(_ progress: @escaping JobProgress.Handler) { self.progress = progress }

    func report(_ news: JobProgress) throws {
        last = news
        do {
            try news.report(to: progress)
        } catch {
            stop = stop ?? error
            throw error
        }
    }

    /// Reports again while there is no news, so that the program can stop the job.
    func repeatLast() throws { if let last { try report(last) } }
}
