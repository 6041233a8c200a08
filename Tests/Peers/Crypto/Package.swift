// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-crypto-peer",
    platforms: [.macOS("26.0")],
    products: [.executable(name: "swift-crypto-peer", targets: ["swift-crypto-peer"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2")
    ],
    targets: [
        // Files that have nothing to do with GRDB are links to the GRDB peer's.
        .executableTarget(
            name: "swift-crypto-peer",
            dependencies: [.product(name: "Crypto", package: "swift-crypto"), "CFileActivity"]),
        // A link to the harness's own file.
        .target(name: "CFileActivity"),
    ],
    swiftLanguageModes: [.v6]
)
