// swift-tools-version:6.2

import PackageDescription

// The package is separate because `Scripts/fuzz` builds it with the coverage that libFuzzer needs. The program is a C
// target: SwiftPM adds an entry point to Swift programs, but libFuzzer has its own.
let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "fuzz-json", targets: ["fuzz-json"])
  ],
  dependencies: [
    .package(path: "../FieldKit"),
    .package(path: "../ModelCore"),
    .package(path: "../StoreProtocol"),
  ],
  targets: [
    .target(
      name: "JSONChecks",
      dependencies: [
        .product(name: "FieldKit", package: "FieldKit"),
        .product(name: "ModelCore", package: "ModelCore"),
        .product(name: "StoreProtocol", package: "StoreProtocol"),
      ]),
    .executableTarget(name: "fuzz-json", dependencies: ["JSONChecks"]),
    .testTarget(name: "JSONChecksTests", dependencies: ["JSONChecks"]),
  ]
)

for target in package.targets where target.name != "fuzz-json" {
  target.swiftSettings =
    (target.swiftSettings ?? [])
    + [
      "ExistentialAny", "InferIsolatedConformances", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ].map { .enableUpcomingFeature($0) }
}
