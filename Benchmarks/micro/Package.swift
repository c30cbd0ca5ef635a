// swift-tools-version: 6.2
// Micro-benchmarks of the code that dominates the run time, with ordo-one/benchmark: `make micro` runs them.
//
// A separate package, so that users of cdpipe don't resolve the dependencies of benchmarks. It compiles the sources
// again (Sources/cdpipe is a link to them).

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

let containers = Target.Dependency.product(name: "BasicContainers", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let libcrypto = Target.Dependency.target(name: "CLibCrypto", condition: .when(platforms: [.linux]))
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

/// A target of cdpipe.
func module(
  _ name: String, _ path: String, _ dependencies: [Target.Dependency] = [], sources: [String]? = nil
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/cdpipe/\(path)", sources: sources,
    swiftSettings: settings)
}

let package = Package(
  name: "micro",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .target(name: "CIntrinsics", path: "Sources/cdpipe/C/CIntrinsics"),
    .target(
      name: "CLibraryLoader", path: "Sources/cdpipe/C/CLibraryLoader",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "CLibCrypto", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/C/CLibCrypto"),
    .target(name: "CLibraries", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/C/CLibraries"),
    .target(
      name: "CLibYAML", path: "Sources/cdpipe/C/CLibYAML", linkerSettings: [.linkedLibrary("yaml")]),
    .target(name: "CLibZ", path: "Sources/cdpipe/C/CLibZ", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CNumberPlanTables", path: "Sources/cdpipe/C/CNumberPlanTables"),
    module("SystemIO", "SystemIO", ["CIntrinsics", containers, system]),
    module("Hashing", "CallStore/Hashing", ["CIntrinsics", libcrypto]),
    module("Records", "Records", ["CLibYAML", "Hashing", "SystemIO", containers, system]),
    module("NumberPlan", "NumberPlan", ["CNumberPlanTables"]),
    module("CallStoreFormat", "CallStore/CallStoreFormat"),
    module("CallStoreReader", "CallStore/CallStoreReader", ["CIntrinsics", "CallStoreFormat", "Hashing"]),
    module(
      "CallDeltaReader", "CallStore/CallDeltaReader", ["CallStoreFormat", "CallStoreReader", "Hashing"]),
    module("CallManifest", "CallStore/CallManifest", ["CallStoreFormat", "Hashing"]),
    module(
      "StoreWriting", "StoreWriting",
      [
        "CallDeltaReader", "CallManifest", "CallStoreFormat", "CallStoreReader", "Hashing", "Records",
        "SystemIO",
        containers, system,
      ]),
    module(
      "InputStages", "Stages",
      [
        "CIntrinsics", "CLibZ", "CLibraries", "Hashing", "NumberPlan", "Records", "SystemIO", containers,
        system,
      ],
      sources: ["1-Download", "2-Unzip", "3-Parse", "ZipArchive"]),
    module(
      "RecordStages", "Stages",
      [
        "CIntrinsics", "CLibraries", "CallDeltaReader", "CallManifest", "CallStoreFormat", "CallStoreReader",
        "Hashing", "NumberPlan", "Records", "StoreWriting", "SystemIO", containers, deque, heap, system,
      ],
      sources: [
        "0-Generate", "4-Normalize", "5-Sort", "6-Dedupe", "7-Emit", "8-Select", "8-Sets", "9-Split",
        "RecordOutput",
      ]),
    .executableTarget(
      name: "HotPieces",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"), "CallStoreFormat", "CallStoreReader",
        "InputStages", "NumberPlan", "RecordStages", "Records", "StoreWriting", "SystemIO",
      ],
      // Without the shared settings, because the benchmark library generates part of this target's code.
      path: "Benchmarks/HotPieces", swiftSettings: [.swiftLanguageMode(.v6)],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ]
)
