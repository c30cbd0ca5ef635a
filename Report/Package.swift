// swift-tools-version: 6.2
// `cdpipe-report`: the JSON report of a run as a page. A package of its own, so that who uses the main package resolves
// nothing of it; it compiles the report's form again (Sources/RunReport is a link to it). See docs/design/decisions/0013-report-page.md.

import PackageDescription

let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "cdpipe-report",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "cdpipe-report", targets: ["cdpipe-report"])],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1")
  ],
  targets: [
    .target(name: "RunReport", swiftSettings: house),
    .target(
      name: "ReportPage", dependencies: ["RunReport", .product(name: "Mustache", package: "swift-mustache")],
      swiftSettings: house),
    .executableTarget(
      name: "cdpipe-report", dependencies: ["ReportPage", "RunReport"], swiftSettings: house),
    .testTarget(
      name: "ReportPageTests", dependencies: ["ReportPage", "RunReport"], exclude: ["check_page.py"],
      swiftSettings: house),
  ]
)
