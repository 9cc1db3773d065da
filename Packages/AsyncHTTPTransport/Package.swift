// swift-tools-version:6.2

import PackageDescription

// Stands apart: the root package has no dependency, and a program without this transport does not fetch SwiftNIO.
let package = Package(
  name: "AsyncHTTPTransport",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "AsyncHTTPTransport", targets: ["AsyncHTTPTransport"])
  ],
  dependencies: [
    // The root, not the packages beside this one: a program that also uses ModelKit must not get each module twice.
    .package(name: "ModelKit", path: "../.."),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
  ],
  targets: [
    .target(
      name: "AsyncHTTPTransport",
      dependencies: [
        .product(name: "RESTStore", package: "ModelKit"),
        .product(name: "StoreProtocol", package: "ModelKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    .testTarget(
      name: "AsyncHTTPTransportTests",
      dependencies: [
        "AsyncHTTPTransport",
        .product(name: "RESTStore", package: "ModelKit"),
        .product(name: "StoreProtocol", package: "ModelKit"),
        .product(name: "StoreProtocolTesting", package: "ModelKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
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
