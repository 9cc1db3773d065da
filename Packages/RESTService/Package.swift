// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "RESTService",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RESTService", targets: ["RESTService"])
  ],
  dependencies: [
    .package(path: "../MemoryStore"),
    .package(path: "../RESTStore"),
    .package(path: "../StoreProtocol"),
  ],
  targets: [
    .target(
      name: "RESTService",
      dependencies: [
        .product(name: "RESTStore", package: "RESTStore"),
        .product(name: "StoreEngine", package: "StoreProtocol"),
        .product(name: "StoreProtocol", package: "StoreProtocol"),
      ]),
    .testTarget(
      name: "RESTServiceTests",
      dependencies: [
        "RESTService",
        .product(name: "MemoryStore", package: "MemoryStore"),
        .product(name: "RESTStore", package: "RESTStore"),
        .product(name: "StoreEngine", package: "StoreProtocol"),
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
