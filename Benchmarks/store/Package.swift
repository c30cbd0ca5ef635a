// swift-tools-version: 6.2
// Measures how fast stores are read. A separate package, so that the main package does not contain this benchmark
// program. It compiles the reader's sources again (Sources/cdpipe is a link to them).

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableExperimentalFeature("Lifetimes"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "store",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "CCRC32C", path: "Sources/cdpipe/CShims/CCRC32C"),
    .target(
      name: "Checksum", dependencies: ["CCRC32C"], path: "Sources/cdpipe/Core/Checksum",
      swiftSettings: settings),
    .target(name: "CallStoreFormat", path: "Sources/cdpipe/Store/CallStoreFormat", swiftSettings: settings),
    .target(name: "CAtomicBits", path: "Sources/cdpipe/Store/CAtomicBits"),
    .target(
      name: "CallStoreReader", dependencies: ["CAtomicBits", "CallStoreFormat", "Checksum"],
      path: "Sources/cdpipe/Store/CallStoreReader",
      swiftSettings: settings),
    .executableTarget(
      name: "store-rate", dependencies: ["CallStoreFormat", "CallStoreReader"], swiftSettings: settings),
  ]
)
