// swift-tools-version: 6.2
// `cdpipe-report`: the JSON report of a run as a web page. A separate package, so that users of the main package do not
// resolve its dependencies; it compiles the report's format again (Sources/RunReport is a link). See
// docs/design/decisions/0013-report-page.md.

import PackageDescription

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .strictMemorySafety(),
  ] + (Context.environment["CDPIPE_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
  name: "cdpipe-report",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "cdpipe-report", targets: ["cdpipe-report"])],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1")
  ],
  targets: [
    .target(name: "RunReport", swiftSettings: settings),
    .target(name: "CLocaleData"),
    .target(
      name: "ReportPage", dependencies: ["RunReport", .product(name: "Mustache", package: "swift-mustache")],
      swiftSettings: settings),
    .executableTarget(
      name: "cdpipe-report", dependencies: ["CLocaleData", "ReportPage", "RunReport"], swiftSettings: settings
    ),
    .testTarget(
      name: "ReportPageTests", dependencies: ["ReportPage", "RunReport"],
      exclude: ["browser.py", "check_page.py"],
      swiftSettings: settings),
  ]
)
