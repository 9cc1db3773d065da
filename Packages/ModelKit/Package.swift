// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "ModelKit",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ModelKit", targets: ["ModelKit"])
  ],
  dependencies: [
    .package(path: "../MemoryStore"),
    .package(path: "../FileStore"),
    .package(path: "../RESTStore"),
    .package(path: "../SchemaKit"),
    .package(path: "../SyncStore"),
  ],
  targets: [
    .target(
      name: "ModelKit",
      dependencies: [
        .product(name: "MemoryStore", package: "MemoryStore"), .product(name: "FileStore", package: "FileStore"),
        .product(name: "RESTStore", package: "RESTStore"), .product(name: "SchemaKit", package: "SchemaKit"),
        .product(name: "SyncStore", package: "SyncStore"),
      ]),
    .testTarget(name: "ModelKitTests", dependencies: ["ModelKit"]),
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
