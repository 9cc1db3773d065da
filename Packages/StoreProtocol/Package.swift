// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "StoreProtocol",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "StoreProtocol", targets: ["StoreProtocol"]),
    .library(name: "StoreEngine", targets: ["StoreEngine"]),
    .library(name: "StoreProtocolTesting", targets: ["StoreProtocolTesting"]),
  ],
  dependencies: [
    .package(path: "../ModelCore")
  ],
  targets: [
    .target(name: "StoreProtocol", dependencies: [.product(name: "ModelCore", package: "ModelCore")]),
    .target(name: "StoreEngine", dependencies: ["StoreProtocol"]),
    .target(name: "StoreProtocolTesting", dependencies: ["StoreProtocol"]),
    .testTarget(name: "StoreProtocolTests", dependencies: ["StoreEngine", "StoreProtocol", "StoreProtocolTesting"]),
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
