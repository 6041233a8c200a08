import Foundation
import PackagePlugin

/// Compiles a folder of migration sets into the target that uses this plugin, as `EmbeddedMigrations`: the target's own
/// folder `Migrations`, or otherwise the package's.
@main
struct EmbedMigrations: BuildToolPlugin {
    func createBuildCommands(
        context: PluginContext, target: any Target
    ) throws -> [Command] {
        let folders = [target.directoryURL, context.package.directoryURL]
            .map { $0.appending(path: "Migrations") }
        guard let folder = folders.first(where: { isFolder($0) }) else {
            Diagnostics.error("no folder Migrations beside the target \(target.name) or its package")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedMigrations.swift")
        return [
            .buildCommand(
                displayName: "Embedding the migrations of \(target.name)",
                executable: try context.tool(named: "EmbedMigrationsGenerator").url,
                arguments: [folder.path, output.path],
                inputFiles: migrations(in: folder),
                outputFiles: [output])
        ]
    }

    private func isFolder(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Every visible file: which of them are migrations depends on the layout.
    private func migrations(in folder: URL) -> [URL] {
        let walk = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return (walk?.compactMap { $0 as? URL } ?? []).filter { !isFolder($0) }
            .sorted { $0.path < $1.path }
    }
}
