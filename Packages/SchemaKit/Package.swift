// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "SchemaKit",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SchemaKit", targets: ["SchemaKit"]),
    .plugin(name: "GenerateModels", targets: ["GenerateModels"]),
  ],
  dependencies: [
    .package(path: "../ModelCore")
  ],
  targets: [
    .target(name: "SchemaKit", dependencies: [.product(name: "ModelCore", package: "ModelCore")]),
    .executableTarget(name: "GenerateModelsTool", dependencies: ["SchemaKit"]),
    .plugin(
      name: "GenerateModels",
      capability: .command(
        intent: .custom(verb: "generate-models", description: "Writes model classes for the entities of model files."),
        permissions: [
          .writeToPackageDirectory(
            reason: "The model classes are written beside the model files, or in the folder given by --output.")
        ]),
      dependencies: ["GenerateModelsTool"]),
    .testTarget(name: "SchemaKitTests", dependencies: ["SchemaKit"]),
  ]
)

for target in package.targets where target.type != .plugin {
  target.swiftSettings =
    (target.swiftSettings ?? [])
    + [
      "ExistentialAny", "InferIsolatedConformances", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ].map { .enableUpcomingFeature($0) }
}
