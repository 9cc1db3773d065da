// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "SchemaKit",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SchemaKit", targets: ["SchemaKit"])
  ],
  dependencies: [
    .package(path: "../ModelCore")
  ],
  targets: [
    .target(name: "SchemaKit", dependencies: [.product(name: "ModelCore", package: "ModelCore")]),
    .testTarget(name: "SchemaKitTests", dependencies: ["SchemaKit"]),
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
