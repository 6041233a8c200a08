// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "grdb-peer",
    platforms: [.macOS("26.0")],
    products: [.executable(name: "grdb-peer", targets: ["grdb-peer"])],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")
    ],
    targets: [
        .executableTarget(
            name: "grdb-peer", dependencies: [.product(name: "GRDB", package: "GRDB.swift"), "CFileActivity"]),
        // A link to the harness's own file.
        .target(name: "CFileActivity"),
    ],
    swiftLanguageModes: [.v6]
)
