// swift-tools-version:6.2

import PackageDescription

// The peers are pinned: a figure is useful only with the version it was measured with. A change of a version here needs
// one in `PeerVersions` too. On Linux, GRDB needs the headers of SQLite: see README.md.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "benchmarks", targets: ["benchmarks"])
  ],
  traits: [
    .trait(name: "Postgres", description: "The group postgres, which needs libpq and the programs of a server.")
  ],
  dependencies: [
    .package(path: "../FieldKit"),
    .package(path: "../ModelCore"),
    .package(path: "../FileStore"),
    .package(path: "../MemoryStore"),
    .package(
      path: "../PostgresStore", traits: [.trait(name: "Postgres", condition: .when(traits: ["Postgres"]))]),
    .package(path: "../RESTStore"),
    .package(path: "../SchemaKit"),
    .package(path: "../SyncStore"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .target(name: "CBenchmarkSupport"),
    .systemLibrary(
      name: "CBenchmarkPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(name: "BenchmarkHarness", dependencies: ["CBenchmarkSupport"]),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "BenchmarkHarness",
        "CBenchmarkSupport",
        .product(name: "FieldKit", package: "FieldKit"),
        .product(name: "ModelCore", package: "ModelCore"),
        .product(name: "FileStore", package: "FileStore"),
        .product(name: "MemoryStore", package: "MemoryStore"),
        .product(name: "PostgresStore", package: "PostgresStore", condition: .when(traits: ["Postgres"])),
        .target(name: "CBenchmarkPostgres", condition: .when(traits: ["Postgres"])),
        .product(name: "RESTStore", package: "RESTStore"),
        .product(name: "SchemaKit", package: "SchemaKit"),
        .product(name: "SyncStore", package: "SyncStore"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(name: "BenchmarkHarnessTests", dependencies: ["BenchmarkHarness"]),
  ]
)

for target in package.targets where target.name != "CBenchmarkSupport" && target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? [])
    + [
      "ExistentialAny", "InferIsolatedConformances", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ].map { .enableUpcomingFeature($0) }
}
