// swift-tools-version: 6.2
import PackageDescription

/// Swift 6 mode; a warning is an error, in tests too.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Lets SecretBytes and Row lend their bytes as spans that cannot outlive them.
    .enableExperimentalFeature("Lifetimes"),
    .treatAllWarnings(as: .error),
]
/// What ships also marks every unsafe construct where it stands.
let product = strict + [.strictMemorySafety()]

let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")

/// Tests of some layers of the engine. They are modules of their own, so that a changed test compiles little.
func engineTests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name,
        dependencies: ["Lockstep", "EngineTestSupport", "TestSupport", systemPackage, subprocess] + dependencies,
        swiftSettings: strict)
}

let package = Package(
    name: "lockstep",
    platforms: [.macOS("26.0")],
    products: [
        .library(name: "Lockstep", targets: ["Lockstep"]),
        .library(name: "LockstepModels", targets: ["LockstepModels"]),
        .library(name: "LockstepPostgres", targets: ["LockstepPostgres"]),
        .executable(name: "lockstep", targets: ["LockstepTool"]),
        .executable(name: "lockstep-bench", targets: ["LockstepBench"]),
        .executable(name: "lockstep-bench-server", targets: ["LockstepServerBench"]),
        .plugin(name: "EmbedMigrations", targets: ["EmbedMigrations"]),
    ],
    // One trait alone: SwiftPM passes the flags of several in a random order, which compiles everything again.
    traits: [
        .default(enabledTraits: ["Foundation"]),
        .trait(name: "Foundation", description: "Columns of Foundation's types, such as Date and UUID, and of JSON"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.7.0"),
        .package(
            url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLCipher",
            pkgConfig: "sqlcipher",
            providers: [.apt(["libsqlcipher-dev"]), .brew(["sqlcipher"])]),
        .systemLibrary(
            name: "CCrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(
            name: "Lockstep",
            dependencies: ["CSQLCipher", "CCrypto", systemPackage],
            swiftSettings: product),
        // Only what depends on LockstepPostgres needs its headers.
        .systemLibrary(
            name: "CPostgreSQL",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "LockstepPostgres",
            dependencies: ["Lockstep", "CPostgreSQL", systemPackage],
            swiftSettings: product),
        .target(
            name: "LockstepModels",
            dependencies: ["Lockstep", systemPackage],
            swiftSettings: product,
            plugins: ["EmbedMigrations"]),
        .executableTarget(
            name: "LockstepTool",
            dependencies: [
                "Lockstep", "LockstepModels", systemPackage,
                "LockstepPostgres",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: product),
        .executableTarget(
            name: "demo-films",
            dependencies: [
                "Lockstep", systemPackage,
                "LockstepPostgres",
            ],
            path: "Sources/Demo/Films",
            swiftSettings: product),
        // What both benchmark programs share. What their measured loops call, the rows and their hash, is compiled into
        // each of them: Shared in LockstepServerBench has links to it.
        .target(name: "BenchKit", dependencies: ["Lockstep"], swiftSettings: product),
        .target(name: "CFileActivity"),
        .executableTarget(
            name: "LockstepBench",
            dependencies: [
                "Lockstep", "BenchKit", "CFileActivity", systemPackage,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                subprocess,
            ],
            swiftSettings: product),
        // Apart from lockstep-bench, which measures whole processes: libpq makes each start milliseconds later.
        .executableTarget(
            name: "LockstepServerBench",
            dependencies: [
                "Lockstep", "BenchKit", "LockstepPostgres", systemPackage, subprocess,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: product),
        .executableTarget(
            name: "EmbedMigrationsGenerator",
            path: "Sources/Plugins/EmbedMigrationsGenerator",
            swiftSettings: product),
        .plugin(
            name: "EmbedMigrations",
            capability: .buildTool(),
            dependencies: ["EmbedMigrationsGenerator"],
            path: "Sources/Plugins/EmbedMigrations"),
        .target(
            name: "TestSupport",
            dependencies: ["Lockstep", "EndWithParent", systemPackage],
            path: "Tests/Harness/TestSupport",
            swiftSettings: strict),
        // What tests of the engine share. It sees the engine's internals, as they do, and is never built for release.
        .target(
            name: "EngineTestSupport",
            dependencies: ["Lockstep", "TestSupport", "CSQLCipher", systemPackage, subprocess],
            path: "Tests/Harness/EngineTestSupport",
            swiftSettings: strict),
        .target(
            name: "TestServers",
            dependencies: ["LockstepPostgres"],
            path: "Tests/Harness/TestServers",
            swiftSettings: strict),
        .target(
            name: "EndWithParent",
            path: "Tests/Harness/EndWithParent"),
        .target(
            name: "SchedulePoints",
            dependencies: ["CSQLCipher"],
            path: "Tests/Harness/SchedulePoints"),
        .executableTarget(
            name: "ScheduleExplorer",
            dependencies: [
                "Lockstep", "EndWithParent", "SchedulePoints", "FaultyCalls", "TestSupport",
                systemPackage,
            ],
            path: "Tests/Campaigns/ScheduleExplorer",
            swiftSettings: strict),
        .target(
            name: "FaultyVFS",
            dependencies: ["CSQLCipher"],
            path: "Tests/Harness/FaultyVFS"),
        .target(
            name: "FaultyCalls",
            path: "Tests/Harness/FaultyCalls"),
        .target(
            name: "ForkedCall",
            path: "Tests/Harness/ForkedCall"),
        .target(
            name: "HeapUse",
            path: "Tests/Harness/HeapUse"),
        .target(
            name: "FaultyWork",
            dependencies: ["Lockstep", "FaultyCalls", systemPackage],
            path: "Tests/Harness/FaultyWork",
            swiftSettings: strict),
        .executableTarget(
            name: "Worker",
            dependencies: [
                "Lockstep", "CSQLCipher", "CCrypto", "EndWithParent", "FaultyVFS", "FaultyWork", "HeapUse",
                systemPackage,
                "LockstepPostgres",
            ],
            path: "Tests/Harness/Worker",
            swiftSettings: strict),
        .target(
            name: "ZlibStreams",
            path: "Tests/Harness/ZlibStreams",
            swiftSettings: strict),
        .executableTarget(
            name: "OracleRunner",
            dependencies: ["Lockstep", "CCrypto", "ZlibStreams"],
            path: "Tests/Campaigns/Oracles/Runner",
            swiftSettings: strict),
        engineTests("BaseTests", ["Worker", "ForkedCall", "ZlibStreams", "CCrypto", "CSQLCipher"]),
        engineTests("SQLiteTests", ["Worker", "CSQLCipher"]),
        engineTests("FieldsTests", ["Worker"]),
        engineTests("MigrationTests", ["Worker", "CSQLCipher"]),
        engineTests("DeploymentTests", ["Worker"]),
        engineTests("CampaignTests", ["Worker", "FaultyVFS"]),
        .testTarget(
            name: "LockstepModelsTests", dependencies: ["LockstepModels", "TestSupport", systemPackage],
            exclude: ["FEATURES.md"],
            swiftSettings: strict),
        .testTarget(
            name: "LockstepPostgresTests",
            dependencies: [
                "LockstepPostgres", "TestServers", "TestSupport", "Worker", systemPackage,
                subprocess,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LockstepBenchTests",
            dependencies: [
                "LockstepBench", "BenchKit", "TestSupport", systemPackage, subprocess,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LockstepToolTests",
            dependencies: [
                "LockstepTool", "EngineTestSupport", "TestServers", "TestSupport", "Worker",
                systemPackage,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                subprocess,
            ],
            exclude: ["Terminal", "Transcripts"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// `make test` runs the tests over an optimised engine: half of their time is else spent in unspecialised code. Tests see
// its internals all the same.
if Context.environment["LOCKSTEP_OPTIMISED"] != nil {
    for target in package.targets where target.name == "Lockstep" {
        target.swiftSettings = product + [.unsafeFlags(["-O", "-enable-testing"])]
    }
}

// Only for Tests/Campaigns/Oracles/tcl, which loads this library into SQLite's own test program.
if Context.environment["LOCKSTEP_ORACLE_TAP"] != nil {
    package.products.append(.library(name: "OracleTap", type: .dynamic, targets: ["OracleTap"]))
    package.targets += [
        .target(name: "TapStart", path: "Tests/Campaigns/Oracles/TapStart"),
        .target(
            name: "OracleTap",
            dependencies: ["Lockstep", "CSQLCipher", "TapStart"],
            path: "Tests/Campaigns/Oracles/Tap",
            swiftSettings: strict),
    ]
}

// Only for Tests/Campaigns/Fuzzer/run, which gives the path of libFuzzer's runtime. What is fuzzed counts what it runs
// through.
if let runtime = Context.environment["LOCKSTEP_FUZZER"] {
    let counting: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])]
    for target in package.targets where ["Lockstep", "LockstepModels"].contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + counting
    }
    package.products.append(.executable(name: "Fuzzer", targets: ["Fuzzer"]))
    package.targets += [
        .target(
            name: "FuzzTargets", dependencies: ["Lockstep", "LockstepModels", "CCrypto", systemPackage],
            path: "Tests/Campaigns/Fuzzer/Targets",
            swiftSettings: strict + counting),
        .executableTarget(
            name: "Fuzzer",
            dependencies: ["FuzzTargets"],
            path: "Tests/Campaigns/Fuzzer/Main",
            linkerSettings: [.unsafeFlags([runtime]), .linkedLibrary("stdc++")]),
    ]
}
