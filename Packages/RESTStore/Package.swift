// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "RESTStore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RESTStore", targets: ["RESTStore"])
  ],
  dependencies: [
    .package(path: "../StoreProtocol")
  ],
  targets: [
    .target(name: "RESTStore", dependencies: [.product(name: "StoreProtocol", package: "StoreProtocol")]),
    .testTarget(
      name: "RESTStoreTests",
      dependencies: ["RESTStore", .product(name: "StoreProtocolTesting", package: "StoreProtocol")]),
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
