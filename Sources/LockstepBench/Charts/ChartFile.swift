import BenchKit
import FoundationEssentials
import SystemPackage

/// The file that a chart is written to.
struct ChartFile: Sendable {
    let path: FilePath

    /// Refuses a path that cannot be written to, before anything is measured.
    init(_ path: String) throws(BenchError) {
        self.path = FilePath(path)
        let folder = self.path.removingLastComponent()
        var isFolder = false
        let manager = FileManager.default
        let exists = manager.fileExists(atPath: folder.isEmpty ? "." : folder.string, isDirectory: &isFolder)
        guard exists, isFolder, self.path.extension == "svg" else {
            throw BenchError(
                "cannot write a chart to \(path)", hint: "name a file that ends in .svg, in an existing folder")
        }
    }

    /// Writes the chart in one step, replacing an existing file.
    func write(_ content: String) throws(BenchError) {
        do {
            try Data(content.utf8).write(to: URL(filePath: path.string), options: .atomic)
        } catch {
            throw BenchError("the chart \(path) cannot be written", hint: "try another folder")
        }
    }
}
