// Every error and every reject reason describes itself.

import Foundation
import Testing

@Suite("Errors describe themselves")
struct UserMessagesTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

  /// The types below a folder that are declared with a conformance.
  private static func types(in folder: String, conformingTo name: String) throws -> Set<String> {
    let declaration = try Regex(
      "(?m)^ *(?:(?:public|package|private|fileprivate) )*(?:enum|struct|class|extension) (\\w+(?:\\.\\w+)*): "
        + "(?:\\w+, )*\(name)\\b", as: (Substring, Substring).self)
    let base = sources.appendingPathComponent(folder)
    let paths = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String] ?? []
    var types: Set<String> = []
    for path in paths where path.hasSuffix(".swift") {
      let text = try String(contentsOf: base.appendingPathComponent(path), encoding: .utf8)
      for match in text.matches(of: declaration) { types.insert(String(match.output.1)) }
    }
    return types
  }

  @Test("every ErrorCause has a user message")
  func errors() throws {
    let errors = try Self.types(in: "", conformingTo: "ErrorCause")
    let described = try Self.types(in: "CommandLine/UserMessages", conformingTo: "UserMessageConvertible")
    #expect(errors.count > 15)
    #expect(errors.subtracting(described).isEmpty)
  }

  @Test("every RejectReason has a text")
  func rejects() throws {
    let reasons = try Self.types(in: "", conformingTo: "RejectReason")
    let described = try Self.types(in: "CommandLine/UserMessages", conformingTo: "RejectReasonText")
    #expect(reasons.count > 4)
    #expect(reasons.subtracting(described).isEmpty)
  }
}
