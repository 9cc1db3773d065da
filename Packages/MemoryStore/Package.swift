// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "MemoryStore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "MemoryStore", targets: ["MemoryStore"])
  ],
  dependencies: [
    .package(path: "../StoreProtocol")
  ],
  targets: [
    .target(
      name: "MemoryStore",
      dependencies: [
        .product(name: "StoreEngine", package: "StoreProtocol"),
        .product(name: "StoreProtocol", package: "StoreProtocol"),
      ]),
    .testTarget(
      name: "MemoryStoreTests",
      dependencies: ["MemoryStore", .product(name: "StoreProtocolTesting", package: "StoreProtocol")]),
  ]
)

for target in package.targets {
  target.swiftSettings =
    (target.swiftSettings ?? [])
    + [
      "ExistentialAny", "InferIsolatedConformances", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ].map { .enableUpcomingFeature($0) }
}
