// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "Observation",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ObservationKit", targets: ["ObservationKit"])
  ],
  targets: [
    .target(name: "ObservationKit"),
    .testTarget(name: "ObservationKitTests", dependencies: ["ObservationKit"]),
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
