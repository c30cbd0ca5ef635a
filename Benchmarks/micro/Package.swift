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
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

/// A target of cdpipe.
func module(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/cdpipe/\(path)", swiftSettings: settings)
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
    module("CallRecord", "Core/CallRecord", [containers]),
    module("Checksum", "Core/Checksum", ["CCRC32C"]),
    module("ContentHash", "Core/ContentHash", ["CLibCrypto", "CSHA256"]),
    .target(name: "CCRC32C", path: "Sources/cdpipe/CShims/CCRC32C"),
    .target(name: "CFileCalls", path: "Sources/cdpipe/CShims/CFileCalls"),
    .target(name: "CLibCrypto", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/CShims/CLibCrypto"),
    .target(name: "CSHA256", path: "Sources/cdpipe/CShims/CSHA256"),
    .target(name: "CMalloc", path: "Sources/cdpipe/CShims/CMalloc"),
    .target(name: "CPrefetch", path: "Sources/cdpipe/CShims/CPrefetch"),
    module("SystemIO", "Core/SystemIO", ["CFileCalls", "CMalloc", containers, system]),
    module("PipeStage", "Core/PipeStage", ["CallRecord", "Checksum", "SystemIO", containers, system]),
    .target(name: "CNumberPlanTables", path: "Sources/cdpipe/NumberPlan/CNumberPlanTables"),
    module("NumberPlan", "NumberPlan/NumberPlan", ["CNumberPlanTables"]),
    module("DelimitedText", "Core/DelimitedText", ["CallRecord"]),
    .target(
      name: "CLibraryLoader", path: "Sources/cdpipe/CShims/CLibraryLoader",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "CLibUchardet", dependencies: ["CLibraryLoader"], path: "Sources/cdpipe/CShims/CLibUchardet"),
    module(
      "ParseStage", "Stages/3-Parse",
      ["CallRecord", "Checksum", "CLibUchardet", "DelimitedText", "PipeStage", "SystemIO", containers]),
    module("NormalizeStage", "Stages/4-Normalize", ["CallRecord", "NumberPlan", "PipeStage", containers]),
    module(
      "SortStage", "Stages/5-Sort", ["CallRecord", "CPrefetch", "PipeStage", "SystemIO", containers, system]),
    module("CallStoreFormat", "Store/CallStoreFormat"),
    .target(name: "CAtomicBits", path: "Sources/cdpipe/Store/CAtomicBits"),
    module("CallStoreReader", "Store/CallStoreReader", ["CAtomicBits", "CallStoreFormat", "Checksum"]),
    module(
      "CallStoreWriter", "Store/CallStoreWriter",
      ["CallRecord", "CallStoreFormat", "CallStoreReader", "Checksum", "ContentHash", containers]),
    .executableTarget(
      name: "HotPieces",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"), "CallRecord", "CallStoreFormat", "CallStoreReader",
        "CallStoreWriter", "NormalizeStage", "NumberPlan", "ParseStage", "PipeStage", "SortStage", "SystemIO",
      ],
      // Without the shared settings, because the benchmark library generates part of this target's code.
      path: "Benchmarks/HotPieces", swiftSettings: [.swiftLanguageMode(.v6)],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ]
)
