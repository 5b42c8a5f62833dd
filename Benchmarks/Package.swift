// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses or builds the server fetches the benchmark tools. The modules are
// compiled from the same folders (`Sources` is a link): what they offer each other has package access, which ends at a
// package's border.

/// What every target of this package is built with; as in the package that is measured, but that warnings of a module
/// compiled here a second time end no build.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// One module of the server.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: house)
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "ralph-mobile-server-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    ],
    targets: [
        module("RalphWire"),
        module(
            "RalphSessions",
            [
                "RalphWire", logging, .product(name: "Yams", package: "Yams"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .target(name: "CRalphThreads", path: "Sources/CRalphThreads"),
        module(
            "RalphFeed",
            [
                "RalphWire", "CRalphThreads", logging,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .executableTarget(
            name: "EventBenchmarks",
            dependencies: [
                "RalphWire", "RalphSessions", "RalphFeed", logging,
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/EventBenchmarks",
            swiftSettings: house,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ]
)
