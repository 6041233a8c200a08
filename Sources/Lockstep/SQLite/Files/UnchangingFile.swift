internal import SystemPackage

/// A file that is read as if nobody could change it.
struct UnchangingFile: Sendable {
    private let path: FilePath
    private let state: FileState

    init(_ path: FilePath) {
        self.path = path
        state = FileState(path)
    }

    /// - Throws: ``LockstepError/Code/busy`` if the file is not what it was.
    func require() throws(LockstepError) {
        guard FileState(path) != state else { return }
        throw LockstepError(
            .busy, "\(path) was changed while it was read, and no lock keeps others from that here",
            hint: "open it again", context: .file(path))
    }
}
