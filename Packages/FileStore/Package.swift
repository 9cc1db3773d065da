// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "FileStore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "FileStore", targets: ["FileStore"])
  ],
  dependencies: [
    .package(path: "../StoreProtocol")
  ],
  targets: [
    .target(name: "CFileSupport"),
    .target(
      name: "FileStore",
      dependencies: [
        "CFileSupport", .product(name: "StoreEngine", package: "StoreProtocol"),
        .product(name: "StoreProtocol", package: "StoreProtocol"),
      ]),
    .testTarget(
      name: "FileStoreTests",
      dependencies: ["FileStore", .product(name: "StoreProtocolTesting", package: "StoreProtocol")],
      exclude: ["Fixtures"]),
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
