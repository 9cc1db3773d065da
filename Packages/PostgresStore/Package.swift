// swift-tools-version:6.2

import PackageDescription

// Stands apart: the root package needs no library that has to be installed.
let package = Package(
  name: "PostgresStore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "PostgresStore", targets: ["PostgresStore"])
  ],
  traits: [
    .trait(name: "Postgres", description: "Models in PostgreSQL. It needs the library libpq."),
    .default(enabledTraits: ["Postgres"]),
  ],
  dependencies: [
    // The root, not the packages beside this one: a program that also uses ModelKit must not get each module twice.
    .package(name: "ModelKit", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "PostgresStore",
      dependencies: [
        .target(name: "CPostgres", condition: .when(traits: ["Postgres"])),
        .product(name: "ModelCore", package: "ModelKit"),
        .product(name: "StoreEngine", package: "ModelKit"),
        .product(name: "StoreProtocol", package: "ModelKit"),
      ]),
    .testTarget(
      name: "PostgresStoreTests",
      dependencies: [
        "PostgresStore",
        .product(name: "StoreProtocolTesting", package: "ModelKit"),
      ]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? [])
    + [
      "ExistentialAny", "InferIsolatedConformances", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ].map { .enableUpcomingFeature($0) }
}
