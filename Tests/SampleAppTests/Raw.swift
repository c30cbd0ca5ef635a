// From a raw database to the files that an app ships: the release build of `cdpipe`, run in a folder for one test.

import Foundation
import TestSupport
import Testing

/// A folder for one test, and `cdpipe` in it.
final class Workplace {
  /// The folder.
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("cdpipe-app-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { FileTree.remove(folder.path) }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Writes a file, and returns its path.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    return path(name)
  }

  /// Runs `cdpipe` to its end, expects success, and returns its output.
  @discardableResult
  func cdpipe(_ arguments: String...) throws -> String { try cdpipe(arguments: arguments) }

  /// Runs `cdpipe` to its end, expects success, and returns its output.
  @discardableResult
  func cdpipe(arguments: [String]) throws -> String { try run(Self.program, arguments) }

  /// Runs a program to its end, expects success, and returns its output.
  @discardableResult
  func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let output = Pipe()
    let errors = folder.appendingPathComponent("errors-\(UUID())")
    try Data().write(to: errors)
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let messages = try String(contentsOf: errors, encoding: .utf8)
    try #require(
      process.terminationStatus == 0, "\(program) \(arguments.joined(separator: " ")): \(messages)")
    return text
  }

  /// The checkout.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let program =
    ProcessInfo.processInfo.environment["CDPIPE_BINARY"] ?? root.path + "/.build/release/cdpipe"
}

/// The events that a sample's transport or app records, in order.
final class Notes: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []
  /// Records a line.
  func add(_ line: String) { lock.withLock { lines.append(line) } }
  /// All lines so far.
  var all: [String] { lock.withLock { lines } }
}

/// A process has one phone for Apple's frameworks, so these tests run one after another.
@Suite("Sample apps", .serialized, .onePhoneAtATime)
enum SampleApps {}
