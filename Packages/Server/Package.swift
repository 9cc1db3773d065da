// swift-tools-version:6.2

import PackageDescription

// Stands apart: the root package has no dependency, and a program without a server does not fetch SwiftNIO.
let package = Package(
  name: "Server",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "ModelServer", targets: ["ModelServer"]),
    .executable(name: "modelkit", targets: ["ModelKitTool"]),
  ],
  dependencies: [
    // The root, not the packages beside this one: a program that also uses ModelKit must not get each module twice.
    .package(name: "ModelKit", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "ModelServer",
      dependencies: [
        .product(name: "ModelCore", package: "ModelKit"),
        .product(name: "RESTService", package: "ModelKit"),
        .product(name: "RESTStore", package: "ModelKit"),
        .product(name: "SchemaKit", package: "ModelKit"),
        .product(name: "StoreEngine", package: "ModelKit"),
        .product(name: "StoreProtocol", package: "ModelKit"),
        .product(name: "SyncStore", package: "ModelKit"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      resources: [.copy("Resources/Inspector")]),
    .executableTarget(
      name: "ModelKitTool",
      dependencies: [
        "ModelServer",
        .product(name: "FileStore", package: "ModelKit"),
        .product(name: "MemoryStore", package: "ModelKit"),
        .product(name: "ModelCore", package: "ModelKit"),
        .product(name: "RESTService", package: "ModelKit"),
        .product(name: "RESTStore", package: "ModelKit"),
        .product(name: "SchemaKit", package: "ModelKit"),
        .product(name: "StoreEngine", package: "ModelKit"),
        .product(name: "StoreProtocol", package: "ModelKit"),
        .product(name: "SyncStore", package: "ModelKit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "ServerBenchmark",
      dependencies: [
        "ModelServer",
        .product(name: "MemoryStore", package: "ModelKit"),
        .product(name: "RESTService", package: "ModelKit"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "ModelServerTests",
      dependencies: [
        "ModelServer",
        "ModelKitTool",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "FileStore", package: "ModelKit"),
        .product(name: "MemoryStore", package: "ModelKit"),
        .product(name: "ModelCore", package: "ModelKit"),
        .product(name: "RESTService", package: "ModelKit"),
        .product(name: "RESTStore", package: "ModelKit"),
        .product(name: "StoreEngine", package: "ModelKit"),
        .product(name: "StoreProtocol", package: "ModelKit"),
        .product(name: "StoreProtocolTesting", package: "ModelKit"),
        .product(name: "SyncStore", package: "ModelKit"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
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
