// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "FieldKit",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "FieldKit", targets: ["FieldKit"])
  ],
  dependencies: [
    .package(path: "../Observation")
  ],
  targets: [
    .target(name: "FieldKit", dependencies: [.product(name: "ObservationKit", package: "Observation")]),
    .testTarget(name: "FieldKitTests", dependencies: ["FieldKit"]),
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
