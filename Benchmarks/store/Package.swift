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
    .target(name: "CIntrinsics", path: "Sources/cdpipe/C/CIntrinsics"),
    .target(
      name: "CLibraryLoader", path: "Sources/cdpipe/C/CLibraryLoader",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "CLibCrypto", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/C/CLibCrypto"),
    .target(
      name: "Hashing",
      dependencies: ["CIntrinsics", .target(name: "CLibCrypto", condition: .when(platforms: [.linux]))],
      path: "Sources/cdpipe/CallStore/Hashing", swiftSettings: settings),
    .target(
      name: "CallStoreFormat", path: "Sources/cdpipe/CallStore/CallStoreFormat", swiftSettings: settings),
    .target(
      name: "CallStoreReader", dependencies: ["CIntrinsics", "CallStoreFormat", "Hashing"],
      path: "Sources/cdpipe/CallStore/CallStoreReader", swiftSettings: settings),
    .executableTarget(
      name: "store-rate", dependencies: ["CallStoreFormat", "CallStoreReader"], swiftSettings: settings),
  ]
)
