// A Swift file as far as the rules need it: its imports, declarations, and the identifiers that it uses.
//
// Not for: anything that needs a parser. The sources are formatted, so indentation marks the end of a declaration.

import Foundation

/// A Swift file.
struct SwiftSource {
  let path: String
  /// The lines without comments and multi-line strings.
  private let code: [Substring]

  init(_ path: String) throws {
    self.path = path
    var isText = false
    code = try Repository.lines(path).map { line in
      let quotes = String(repeating: "\"", count: 3)
      let marks = line.components(separatedBy: quotes).count - 1
      defer { if marks % 2 == 1 { isText.toggle() } }
      if isText { return "" }
      return line.range(of: "//").map { line[..<$0.lowerBound] } ?? line
    }
  }

  /// The modules that the file imports.
  var imports: [String] {
    code.compactMap { line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place <= 2, words.count > place + 1 else {
        return nil
      }
      let before = words[..<place]
      guard before.allSatisfy({ Self.accessLevels.contains($0) || $0.hasPrefix("@") }) else { return nil }
      return String(words[place + 1])
    }
  }

  private static let accessLevels: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private",
  ]

  /// The types that the file declares at its top level and that other files can see.
  var types: [String] { declared(["struct", "class", "enum", "actor", "protocol", "typealias"]) }

  /// The types and functions that the file declares at its top level and that other files can see.
  var declarations: [String] {
    declared(["struct", "class", "enum", "actor", "protocol", "typealias", "func", "let", "var"])
  }

  private func declared(_ keywords: Set<Substring>) -> [String] {
    code.compactMap { line in
      guard let first = line.first, first.isLetter || first == "@" else { return nil }
      let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
      guard let place = words.firstIndex(where: { keywords.contains($0) }), place + 1 < words.count,
        !words[..<place].contains(where: { $0 == "private" || $0 == "fileprivate" || $0 == "extension" })
      else { return nil }
      let name = words[place + 1]
      return name == "func" && place + 2 < words.count ? String(words[place + 2]) : String(name)
    }
  }

  /// The identifiers in the file's code.
  var identifiers: Set<Substring> {
    Set(code.flatMap { line in line.split { !($0.isLetter || $0.isNumber || $0 == "_") } })
  }

  /// The functions and initializers, with the number of their lines.
  var functions: [(line: Int, lines: Int)] {
    var result: [(line: Int, lines: Int)] = []
    for (index, line) in code.enumerated() where Self.isFunction(line) {
      let indentation = line.prefix { $0 == " " }
      // The head continues in lines that are indented further. Without an opening brace, it is a requirement of a
      // protocol.
      let rest = code[(index + 1)...].prefix {
        $0.hasPrefix(indentation + " ") || $0.hasPrefix(indentation + ")")
      }
      guard ([line] + rest).contains(where: { $0.hasSuffix("{") }), !line.hasSuffix("}"),
        let end = code[(index + 1)...].firstIndex(where: { $0.hasPrefix(indentation + "}") })
      else { continue }
      result.append((index + 1, end - index + 1))
    }
    return result
  }

  private static func isFunction(_ line: Substring) -> Bool {
    line.split(separator: " ").prefix(6).contains { word in
      word == "func" || word.hasPrefix("init(") || word.hasPrefix("init<") || word.hasPrefix("init?(")
    }
  }
}
