// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "ModelCore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ModelCore", targets: ["ModelCore"])
  ],
  dependencies: [
    .package(path: "../FieldKit")
  ],
  targets: [
    .target(name: "CModelRuntime"),
    .target(
      name: "ModelCore", dependencies: ["CModelRuntime", .product(name: "FieldKit", package: "FieldKit")]),
    .testTarget(name: "ModelCoreTests", dependencies: ["ModelCore"]),
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
