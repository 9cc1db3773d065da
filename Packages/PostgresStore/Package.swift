// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "PostgresStore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "PostgresStore", targets: ["PostgresStore"])
  ],
  traits: [
    .trait(name: "Postgres", description: "PostgresModelStore, which needs the library libpq.")
  ],
  dependencies: [
    .package(path: "../ModelCore"),
    .package(path: "../StoreProtocol"),
  ],
  targets: [
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "PostgresStore",
      dependencies: [
        .target(name: "CPostgres", condition: .when(traits: ["Postgres"])),
        .product(name: "ModelCore", package: "ModelCore"),
        .product(name: "StoreEngine", package: "StoreProtocol"),
        .product(name: "StoreProtocol", package: "StoreProtocol"),
      ]),
    .testTarget(
      name: "PostgresStoreTests",
      dependencies: ["PostgresStore", .product(name: "StoreProtocolTesting", package: "StoreProtocol")]),
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
