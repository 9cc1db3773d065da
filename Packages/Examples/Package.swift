// swift-tools-version:6.2

import PackageDescription

// Three programs of one screen each, as a user of the library would write them. They depend only on the umbrella, here
// from this checkout.
let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "form", targets: ["form"]),
    .executable(name: "notes", targets: ["notes"]),
    .executable(name: "tasks", targets: ["tasks"]),
  ],
  dependencies: [
    .package(name: "ModelKit", path: "../..")
  ],
  targets: [
    .executableTarget(name: "form", dependencies: [.product(name: "ModelKit", package: "ModelKit")]),
    .executableTarget(name: "notes", dependencies: [.product(name: "ModelKit", package: "ModelKit")]),
    .executableTarget(name: "tasks", dependencies: [.product(name: "ModelKit", package: "ModelKit")]),
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
