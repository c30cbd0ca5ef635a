// `cdpipe run --schema`: the JSON Schema of pipeline files. The keys are those that are read: what the embedded file has
// for a stage is replaced by its options, except the descriptions of keys that are not options; of a source and of
// `publish`, it has the values. `cdpipe run --schema` writes that file, too.

import ArgumentParser
import PhoneTools
import Records
import Runner

enum PipelineSchema {
  /// JSON with the keys in their order.
  private indirect enum JSON {
    typealias Member = (key: String, value: JSON)

    /// A text, number or Boolean, as JSON.
    case value(String)
    case list([JSON])
    case object([Member])

    init(_ node: YAMLNode) {
      switch node {
      case .scalar(let text, let isPlain, _): self = .value(isPlain ? text : JSONLine.text(text))
      case .sequence(let items, _): self = .list(items.map { JSON($0) })
      case .mapping(let entries, _): self = .object(entries.map { ($0.key, JSON($0.value)) })
      }
    }

    static func text(_ text: String) -> JSON { .value(JSONLine.text(text)) }
    static func reference(_ name: String) -> JSON { .object([("$ref", text("#/$defs/\(name)"))]) }

    var entries: [Member] {
      if case .object(let entries) = self { entries } else { [] }
    }

    subscript(key: String) -> JSON? { entries.first { $0.key == key }?.value }

    /// The object with another value of a key that it has.
    func replacing(_ key: String, _ change: (JSON) -> JSON) -> JSON {
      .object(entries.map { ($0.key, $0.key == key ? change($0.value) : $0.value) })
    }

    /// The JSON in one line.
    var line: String {
      switch self {
      case .value(let text): text
      case .list(let items): "[" + items.map(\.line).joined(separator: ", ") + "]"
      case .object(let entries):
        "{" + entries.map { "\(JSONLine.text($0.key)): \($0.value.line)" }.joined(separator: ", ") + "}"
      }
    }

    /// The JSON with short objects and lists on one line.
    func laidOut(_ depth: Int = 0) -> String {
      let line = self.line
      if case .value = self { return line }
      if depth >= 2, line.unicodeScalars.count + 2 * depth <= PipelineSchema.columns { return line }
      let indentation = String(repeating: "  ", count: depth + 1)
      let end = "\n" + indentation.dropLast(2)
      if case .list(let items) = self {
        return "[\n" + items.map { indentation + $0.laidOut(depth + 1) }.joined(separator: ",\n") + end + "]"
      }
      let parts = entries.map { "\(indentation)\(JSONLine.text($0.key)): \($0.value.laidOut(depth + 1))" }
      return "{\n" + parts.joined(separator: ",\n") + end + "}"
    }
  }

  private static let columns = 118
  /// A key of every stage that is not an option.
  private static let include = "include"

  static var text: String {
    let file = "docs/formats/pipeline.schema.json"
    guard let node = try? YAMLReader.read([UInt8](EmbeddedFile.at(file).text.utf8), file: file) else {
      preconditionFailure("the embedded schema is JSON")
    }
    let schema = JSON(node).replacing("$defs") { definitions in
      var definitions = definitions
      func replace(_ name: String, _ change: ([JSON.Member]) -> [JSON.Member]) {
        definitions = definitions.replacing(name) { definition in
          definition.replacing("properties") { .object(change($0.entries)) }
        }
      }
      for row in StageTable.rows { replace(row.name.rawValue) { properties(of: row, $0) } }
      replace("source") { properties(SourceCheckArguments.self, StageTable.layout.sourceKeys, $0) }
      replace("publish") {
        properties(PublishArguments.self, OptionTable.of(PublishArguments.self).names, $0)
      }
      return definitions
    }
    return schema.laidOut() + "\n"
  }

  /// The keys that are read from a source or `publish`. Their values are those in the file; so are the descriptions of
  /// keys that are not options of these alone.
  private static func properties(
    _ type: any ParsableArguments.Type, _ keys: [String], _ old: [JSON.Member]
  ) -> [JSON.Member] {
    let table = OptionTable.of(type)
    let shared = OptionTable.of(SigningArguments.self).names
    let known = old.filter { keys.contains($0.key) }.map { key, definition in
      guard !shared.contains(key), let help = table.option(key)?.abstract else { return (key, definition) }
      return (key, definition.replacing("description") { _ in .text(withoutDashes(help)) })
    }
    let new = keys.filter { key in !old.contains { $0.key == key } }
    return known + new.map { ($0, definition(of: $0, table.option($0), KeyTraits(), nil)) }
      + old.filter { $0.key == include }
  }

  /// The keys of a stage, those in the file first.
  private static func properties(
    of row: StageRow, _ old: [JSON.Member]
  ) -> [JSON.Member] {
    let table = OptionTable.of(row.declaration)
    let keys = row.traits.stageKeys(of: table.names)
    let known = old.map(\.key).filter { keys.contains($0) }
    let new = keys.filter { !known.contains($0) }
    return (known + new).map { key in
      let old = old.first { $0.key == key }?.value
      return (
        key,
        definition(
          of: key, table.arguments.first { $0.name == key }, row.traits[key] ?? KeyTraits(),
          old?["description"])
      )
    } + old.filter { $0.key == include }
  }

  /// The definition of a key. Without an option of that name, it keeps its description.
  private static func definition(
    of key: String, _ option: OptionTable.Argument?, _ traits: KeyTraits, _ old: JSON?
  ) -> JSON {
    var entries: [JSON.Member] = []
    if let text = option?.abstract {
      entries.append(("description", .text(withoutDashes(text))))
    } else if let old {
      entries.append(("description", old))
    }
    if option?.kind == "flag" {
      entries.append(("type", .text("boolean")))
    } else if let values = option?.allValues {
      let choice = JSON.object([("enum", .list((values + traits.aliases).map { .text($0) }))])
      entries.append(("anyOf", .list([choice, .reference("variable")])))
    } else if traits.falseText != nil {
      let no = JSON.object([("const", .value("false"))])
      entries.append(("anyOf", .list([.reference("text"), no])))
    } else {
      entries += JSON.reference(traits.isList ? "texts" : "text").entries
    }
    return .object(entries)
  }

  /// The help of an option as the description of a key: options in it are keys.
  private static func withoutDashes(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let dashes = rest.firstRange(of: "--") {
      let next = rest[dashes.upperBound...]
      let isOption = next.first.map { $0.isLetter && $0.isLowercase } ?? false
      result += rest[..<(isOption ? dashes.lowerBound : dashes.upperBound)]
      rest = next
    }
    return result + rest
  }
}
