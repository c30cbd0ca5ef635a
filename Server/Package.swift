// swift-tools-version: 6.2
// cdpipe-server: applies message rules and looks up numbers over HTTP (docs/operations/server.md).
//
// A separate package, so that users of cdpipe and its libraries do not resolve or build a network stack
// (docs/design/decisions/0014-server.md).

import PackageDescription

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
  ] + (Context.environment["CDPIPE_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : [])

/// Links the Swift runtime statically into the program only. With --static-swift-stdlib, every module would be compiled
/// so that tests can't link it, and NIO would be built twice. FoundationEssentials needs the two libraries; the
/// compiler adds them only if it compiles for a static runtime. Without a symbol table, as in cdpipe, the program is
/// less than half as large.
let runtimeInside =
  ["-static-stdlib", "-Xlinker", "-s"]
  + ["--whole-archive", "-l_FoundationCShims", "-l_FoundationCollections", "--no-whole-archive"].flatMap {
    ["-Xlinker", $0]
  }

let package = Package(
  name: "cdpipe-server",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "cdpipe-server", targets: ["cdpipe-server"])],
  traits: [
    .default(enabledTraits: ["TLS"]),
    // `make check` builds without it: BoringSSL needs more than half of the time.
    .trait(name: "TLS", description: "HTTPS with certificate files (--certificate)."),
  ],
  dependencies: [
    // MessageRulesCompiler needs what the program does.
    .package(name: "cdpipe", path: "..", traits: ["Tool"]),
    // Without its default traits it links no full Foundation.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "CDPipeServer",
      dependencies: [
        .product(name: "CallManifest", package: "cdpipe"),
        .product(name: "CallStoreReader", package: "cdpipe"),
        .product(name: "MessageRules", package: "cdpipe"),
        .product(name: "NumberPlan", package: "cdpipe"),
        .product(name: "MessageRulesCompiler", package: "cdpipe"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["TLS"])),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ], swiftSettings: settings),
    .executableTarget(
      name: "cdpipe-server",
      dependencies: [
        "CDPipeServer",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "CallManifest", package: "cdpipe"),
        .product(name: "CallStoreReader", package: "cdpipe"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MessageRules", package: "cdpipe"),
        .product(name: "MessageRulesCompiler", package: "cdpipe"),
      ], swiftSettings: settings,
      linkerSettings: [.unsafeFlags(runtimeInside, .when(platforms: [.linux]))]),
    .testTarget(
      name: "CDPipeServerTests",
      dependencies: [
        "CDPipeServer",
        .product(name: "MessageRules", package: "cdpipe"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      ], swiftSettings: settings),
    .testTarget(name: "ServerProgramTests", swiftSettings: settings),
  ]
)
