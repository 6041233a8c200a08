import Foundation

// Writes a Swift file that contains every migration set of a folder. The EmbedMigrations plugin calls it with the
// folder and the file to write.

do {
    guard CommandLine.arguments.count == 3 else {
        throw GeneratorError(message: "usage: EmbedMigrationsGenerator FOLDER OUTPUT.swift")
    }
    let sets = try EmbeddedSet.read(URL(filePath: CommandLine.arguments[1]))
    let source = SourceWriter.source(of: sets)
    let output = URL(filePath: CommandLine.arguments[2])
    let data = Data(source.utf8)
    // An equal file that is written again is compiled again.
    if (try? Data(contentsOf: output)) != data {
        try data.write(to: output, options: .atomic)
    }
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
