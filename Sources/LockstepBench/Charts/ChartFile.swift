import FoundationEssentials
import SystemPackage

/// Where a chart is written.
struct ChartFile: Sendable {
    let path: FilePath

    /// Refuses a place where nothing can be written, before anything is measured.
    init(_ path: String) throws(BenchError) {
        self.path = FilePath(path)
        let folder = self.path.removingLastComponent()
        var isFolder = false
        let manager = FileManager.default
        let exists = manager.fileExists(
            atPath: folder.isEmpty ? "." : folder.string, isDirectory: &isFolder)
        guard exists, isFolder, self.path.extension == "svg" else {
            throw BenchError(
                "no chart can be written to \(path)",
                hint: "name a file that ends in .svg, in a folder that is there")
        }
    }

    /// Writes the chart in one step, over one that is there.
    func write(_ content: String) throws(BenchError) {
        do {
            try Data(content.utf8).write(to: URL(filePath: path.string), options: .atomic)
        } catch {
            throw BenchError("the chart \(path) cannot be written", hint: "try another folder")
        }
    }
}
