// The objects of a project.pbxproj and their text: an old-style property list in the order and with the comments of
// Xcode, so that Xcode changes nothing but what the user changes.
//
// Not for what a project consists of (XcodeProject).

import Hashing

/// The objects of a project, each of which has an identifier made of its role.
struct ProjectObjects {
  /// An object: its type and its other keys.
  private struct Object {
    let identifier: String
    let type: String
    let entries: [(String, PropertyValue)]
  }

  /// The number of hexadecimal digits of an identifier.
  private static let identifierLength = 24

  /// A text that distinguishes this project from others in the same workspace.
  private let seed: String
  private var objects: [Object] = []
  /// What Xcode writes next to an identifier.
  private var comments: [String: String] = [:]

  /// Creates no objects. Projects with different seeds have no identifiers in common.
  init(seed: String) { self.seed = seed }

  /// The identifier of the object with a role, as a value.
  func identifier(_ role: String) -> PropertyValue { .text(digits(role)) }

  /// The identifier of the object with a role.
  func digits(_ role: String) -> String {
    String(SHA256Hasher.hex(of: "\(seed)\n\(role)").prefix(Self.identifierLength)).uppercased()
  }

  /// Adds the object with a role.
  mutating func add(_ type: String, _ role: String, _ comment: String?, _ entries: [(String, PropertyValue)])
  {
    objects.append(Object(identifier: digits(role), type: type, entries: entries))
    comments[digits(role)] = comment.flatMap { $0.contains("*/") ? nil : $0 }
  }

  /// The text of the file. `version` is the version of the format.
  func text(version: Int, root: String) -> String {
    var lines = ["// !$*UTF8*$!", "{", "\tarchiveVersion = 1;", "\tclasses = {", "\t};"]
    lines += ["\tobjectVersion = \(version);", "\tobjects = {"]
    for type in Set(objects.map(\.type)).sorted() {
      lines += ["", "/* Begin \(type) section */"]
      lines += objects.filter { $0.type == type }.sorted { $0.identifier < $1.identifier }.map(text)
      lines.append("/* End \(type) section */")
    }
    return (lines + ["\t};", "\trootObject = \(text(identifier(root), ""));", "}", ""]).joined(
      separator: "\n")
  }

  private func text(_ object: Object) -> String {
    let entries = [("isa", .text(object.type))] + object.entries
    let name = "\t\t\(text(.text(object.identifier), "")) = "
    // Xcode writes these on one line.
    guard ["PBXBuildFile", "PBXFileReference"].contains(object.type) else {
      return name + text(.keys(entries), "\t\t") + ";"
    }
    return name + oneLine(.keys(entries)) + ";"
  }

  private func text(_ value: PropertyValue, _ indent: String) -> String {
    switch value {
    case .text(let text): return Self.quoted(text) + (comments[text].map { " /* \($0) */" } ?? "")
    case .truth(let isTrue): return isTrue ? "YES" : "NO"
    case .list(let values):
      let lines = values.map { "\(indent)\t\(text($0, indent + "\t")),\n" }
      return "(\n\(lines.joined())\(indent))"
    case .keys(let entries):
      let lines = Self.inOrder(entries).map { key, value in
        let shown = text(value, indent + "\t")
        // Xcode writes this identifier without a comment.
        let length = key == "remoteGlobalIDString" ? Self.identifierLength : shown.count
        return "\(indent)\t\(entry(key, String(shown.prefix(length))));\n"
      }
      return "{\n\(lines.joined())\(indent)}"
    }
  }

  private func oneLine(_ value: PropertyValue) -> String {
    switch value {
    case .list(let values): "(" + values.map { oneLine($0) + ", " }.joined() + ")"
    case .keys(let entries):
      "{" + Self.inOrder(entries).map { entry($0, oneLine($1)) + "; " }.joined() + "}"
    case .text, .truth: text(value, "")
    }
  }

  private func entry(_ key: String, _ value: String) -> String { "\(Self.quoted(key)) = \(value)" }

  /// Keys in Xcode's order: the type, then the others alphabetically.
  private static func inOrder(_ entries: [(String, PropertyValue)]) -> [(String, PropertyValue)] {
    entries.filter { $0.0 == "isa" } + entries.filter { $0.0 != "isa" }.sorted { $0.0 < $1.0 }
  }

  /// A text, in quotation marks if it needs them.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { isLetterOrDigit($0) || "_$./".utf8.contains($0) }
    if isPlain && !text.isEmpty && !text.contains("//") && !text.contains("___") { return text }
    return "\""
      + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
  }
}
