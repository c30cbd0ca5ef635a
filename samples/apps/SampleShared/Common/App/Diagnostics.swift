// What an user sends to support: the versions and the states of the app, without phone numbers, names or messages.
// Not for the states themselves: each model adds its own.

import Foundation

/// A report as lines of text, in English, whatever the user's language is.
public nonisolated struct Diagnostics: Sendable {
  private static let causesMax = 5

  private var lines: [String]

  /// The report as text.
  public var text: String { lines.joined(separator: "\n") + "\n" }

  /// Creates a report that begins with the versions of the app and of iOS.
  public init(
    info: [String: Any] = Bundle.main.infoDictionary ?? [:],
    system: String = ProcessInfo.processInfo.operatingSystemVersionString
  ) {
    func text(_ key: String) -> String { info[key] as? String ?? "?" }
    let version = "\(text("CFBundleShortVersionString")) (\(text("CFBundleVersion")))"
    lines = ["app: \(text("CFBundleIdentifier")) \(version)", "system: \(system)"]
  }

  /// Adds a line.
  public mutating func add(_ name: String, _ value: some CustomStringConvertible) {
    lines.append("\(name): \(value)")
  }

  /// Adds a time, in UTC; nil for never.
  public mutating func add(_ name: String, at date: Date?) {
    add(name, date.map { $0.formatted(.iso8601) } ?? "never")
  }

  /// Adds the domains and codes of an error and of those that caused it. Texts could contain anything.
  public mutating func add(_ name: String, error: (any Error)?) {
    var causes: [String] = []
    var next = error.map { $0 as NSError }
    while let error = next, causes.count < Self.causesMax {
      causes.append("\(error.domain) \(error.code)")
      next = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    if !causes.isEmpty { add(name, causes.joined(separator: " < ")) }
  }

  /// Adds the size of a file.
  public mutating func add(_ name: String, file path: String) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let size = (attributes?[.size] as? NSNumber)?.intValue
    add(name, size.map { "\($0) bytes" } ?? "no file")
  }
}
