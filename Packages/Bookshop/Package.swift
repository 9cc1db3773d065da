// swift-tools-version:6.2

import PackageDescription

// An app as a user of the library would write it. It depends on the umbrella, here from this checkout.
let package = Package(
  name: "Bookshop",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "bookshop", targets: ["bookshop"])
  ],
  dependencies: [
    .package(name: "ModelKit", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .target(
      name: "BookshopKit",
      dependencies: [
        .product(name: "ModelKit", package: "ModelKit"), .product(name: "RESTService", package: "ModelKit"),
      ]),
    .executableTarget(
      name: "bookshop",
      dependencies: ["BookshopKit", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      // Its classes are generated: see README.md.
      exclude: ["Bookshop.xcdatamodeld"],
      resources: [.copy("catalogue.json")]),
    .testTarget(
      name: "BookshopKitTests", dependencies: ["BookshopKit", .product(name: "ModelKit", package: "ModelKit")]),
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
