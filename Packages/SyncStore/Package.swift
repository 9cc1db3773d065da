// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "SyncStore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SyncStore", targets: ["SyncStore"])
  ],
  dependencies: [
    .package(path: "../FileStore"),
    .package(path: "../MemoryStore"),
    .package(path: "../RESTService"),
    .package(path: "../RESTStore"),
    .package(path: "../StoreProtocol"),
  ],
  targets: [
    .target(
      name: "SyncStore",
      dependencies: [
        .product(name: "StoreEngine", package: "StoreProtocol"),
        .product(name: "StoreProtocol", package: "StoreProtocol"),
      ]),
    .testTarget(
      name: "SyncStoreTests",
      dependencies: [
        "SyncStore",
        .product(name: "FileStore", package: "FileStore"),
        .product(name: "MemoryStore", package: "MemoryStore"),
        .product(name: "RESTService", package: "RESTService"),
        .product(name: "RESTStore", package: "RESTStore"),
        .product(name: "StoreProtocolTesting", package: "StoreProtocol"),
      ]),
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
