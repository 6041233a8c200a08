// swift-tools-version: 6.2
import PackageDescription

/// An example: a program whose migrations are compiled into it.
func example(_ name: String) -> Target {
    .executableTarget(
        name: name, dependencies: [.product(name: "Lockstep", package: "lockstep")],
        plugins: [.plugin(name: "EmbedMigrations", package: "lockstep")])
}

let package = Package(
    name: "examples",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "lockstep", path: "..")],
    targets: [example("tasks"), example("notes"), example("catalogue")]
)
