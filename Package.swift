// swift-tools-version:6.2

import PackageDescription

// The manifest users depend on. It declares every target itself, by path, because a package with
// `.package(path:)` dependencies can't be depended on by version. `Scripts/check-manifests` keeps it
// and the manifests under Packages/ in agreement.
let package = Package(
  name: "ModelKit",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ObservationKit", targets: ["ObservationKit"]),
    .library(name: "FieldKit", targets: ["FieldKit"]),
    .library(name: "ModelCore", targets: ["ModelCore"]),
    .library(name: "StoreProtocol", targets: ["StoreProtocol"]),
    .library(name: "StoreEngine", targets: ["StoreEngine"]),
    .library(name: "StoreProtocolTesting", targets: ["StoreProtocolTesting"]),
    .library(name: "MemoryStore", targets: ["MemoryStore"]),
    .library(name: "FileStore", targets: ["FileStore"]),
    .library(name: "RESTStore", targets: ["RESTStore"]),
    .library(name: "RESTService", targets: ["RESTService"]),
    .library(name: "SyncStore", targets: ["SyncStore"]),
    .library(name: "SchemaKit", targets: ["SchemaKit"]),
    .plugin(name: "GenerateModels", targets: ["GenerateModels"]),
    .library(name: "ModelKit", targets: ["ModelKit"]),
    .library(name: "PostgresStore", targets: ["PostgresStore"]),
  ],
  traits: [
    .trait(name: "Postgres", description: "PostgresModelStore, which needs the library libpq.")
  ],
  targets: [
    .target(name: "ObservationKit", path: "Packages/Observation/Sources/ObservationKit"),
    .target(name: "FieldKit", dependencies: ["ObservationKit"], path: "Packages/FieldKit/Sources/FieldKit"),
    .target(name: "CModelRuntime", path: "Packages/ModelCore/Sources/CModelRuntime"),
    .target(
      name: "ModelCore", dependencies: ["CModelRuntime", "FieldKit"], path: "Packages/ModelCore/Sources/ModelCore"),
    .target(name: "StoreProtocol", dependencies: ["ModelCore"], path: "Packages/StoreProtocol/Sources/StoreProtocol"),
    .target(name: "StoreEngine", dependencies: ["StoreProtocol"], path: "Packages/StoreProtocol/Sources/StoreEngine"),
    .target(
      name: "StoreProtocolTesting", dependencies: ["StoreProtocol"],
      path: "Packages/StoreProtocol/Sources/StoreProtocolTesting"),
    .target(
      name: "MemoryStore", dependencies: ["StoreEngine", "StoreProtocol"],
      path: "Packages/MemoryStore/Sources/MemoryStore"),
    .target(name: "CFileSupport", path: "Packages/FileStore/Sources/CFileSupport"),
    .target(
      name: "FileStore", dependencies: ["CFileSupport", "StoreEngine", "StoreProtocol"],
      path: "Packages/FileStore/Sources/FileStore"),
    .target(name: "RESTStore", dependencies: ["StoreProtocol"], path: "Packages/RESTStore/Sources/RESTStore"),
    .target(
      name: "RESTService", dependencies: ["RESTStore", "StoreEngine", "StoreProtocol"],
      path: "Packages/RESTService/Sources/RESTService"),
    .target(
      name: "SyncStore", dependencies: ["StoreEngine", "StoreProtocol"], path: "Packages/SyncStore/Sources/SyncStore"),
    // Without the trait it compiles to nothing, and the library is not needed.
    .systemLibrary(
      name: "CPostgres", path: "Packages/PostgresStore/Sources/CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "PostgresStore",
      dependencies: [
        .target(name: "CPostgres", condition: .when(traits: ["Postgres"])), "ModelCore", "StoreEngine", "StoreProtocol",
      ],
      path: "Packages/PostgresStore/Sources/PostgresStore"),
    .target(name: "SchemaKit", dependencies: ["ModelCore"], path: "Packages/SchemaKit/Sources/SchemaKit"),
    .executableTarget(
      name: "GenerateModelsTool", dependencies: ["SchemaKit"], path: "Packages/SchemaKit/Sources/GenerateModelsTool"),
    .plugin(
      name: "GenerateModels",
      capability: .command(
        intent: .custom(verb: "generate-models", description: "Writes model classes for the entities of model files."),
        permissions: [
          .writeToPackageDirectory(
            reason: "The model classes are written beside the model files, or in the folder given by --output.")
        ]),
      dependencies: ["GenerateModelsTool"], path: "Packages/SchemaKit/Plugins/GenerateModels"),
    .target(
      name: "ModelKit", dependencies: ["MemoryStore", "FileStore", "RESTStore", "SchemaKit", "SyncStore"],
      path: "Packages/ModelKit/Sources/ModelKit"),

    .testTarget(
      name: "ObservationKitTests", dependencies: ["ObservationKit"],
      path: "Packages/Observation/Tests/ObservationKitTests"),
    .testTarget(name: "FieldKitTests", dependencies: ["FieldKit"], path: "Packages/FieldKit/Tests/FieldKitTests"),
    .testTarget(name: "ModelCoreTests", dependencies: ["ModelCore"], path: "Packages/ModelCore/Tests/ModelCoreTests"),
    .testTarget(
      name: "StoreProtocolTests", dependencies: ["StoreEngine", "StoreProtocol", "StoreProtocolTesting"],
      path: "Packages/StoreProtocol/Tests/StoreProtocolTests"),
    .testTarget(
      name: "MemoryStoreTests", dependencies: ["MemoryStore", "StoreProtocolTesting"],
      path: "Packages/MemoryStore/Tests/MemoryStoreTests"),
    .testTarget(
      name: "FileStoreTests", dependencies: ["FileStore", "StoreProtocolTesting"],
      path: "Packages/FileStore/Tests/FileStoreTests", exclude: ["Fixtures"]),
    .testTarget(
      name: "RESTStoreTests", dependencies: ["RESTStore", "StoreProtocolTesting"],
      path: "Packages/RESTStore/Tests/RESTStoreTests"),
    .testTarget(
      name: "RESTServiceTests",
      dependencies: ["MemoryStore", "RESTService", "RESTStore", "StoreEngine", "StoreProtocolTesting"],
      path: "Packages/RESTService/Tests/RESTServiceTests"),
    .testTarget(
      name: "SyncStoreTests",
      dependencies: ["FileStore", "MemoryStore", "RESTService", "RESTStore", "StoreProtocolTesting", "SyncStore"],
      path: "Packages/SyncStore/Tests/SyncStoreTests"),
    .testTarget(
      name: "PostgresStoreTests", dependencies: ["PostgresStore", "StoreProtocolTesting"],
      path: "Packages/PostgresStore/Tests/PostgresStoreTests"),
    .testTarget(name: "SchemaKitTests", dependencies: ["SchemaKit"], path: "Packages/SchemaKit/Tests/SchemaKitTests"),
    .testTarget(name: "ModelKitTests", dependencies: ["ModelKit"], path: "Packages/ModelKit/Tests/ModelKitTests"),
    .testTarget(
      name: "CallSiteTests", dependencies: ["ModelKit", "StoreProtocolTesting"], path: "Tests/CallSiteTests"),
    .testTarget(
      name: "MainActorCallSiteTests", dependencies: ["ModelKit", "StoreProtocolTesting"],
      path: "Tests/MainActorCallSiteTests", swiftSettings: [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "FileStore", "MemoryStore", "ModelKit", "RESTService", "StoreEngine", "StoreProtocol", "StoreProtocolTesting",
        "SyncStore",
      ],
      path: "Tests/IntegrationTests"),
    .testTarget(name: "ErrorTextTests", dependencies: ["ModelKit"], path: "Tests/ErrorTextTests"),
  ]
)

for target in package.targets where target.type != .plugin && target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? [])
    + [
      "ExistentialAny", "InferIsolatedConformances", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ].map { .enableUpcomingFeature($0) }
}
