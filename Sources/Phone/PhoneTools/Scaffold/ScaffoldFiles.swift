// A file of a project; the sources of samples are in Generated/.

/// A file of a project.
package struct ScaffoldFile: Sendable, Equatable {
  /// The path, relative to the project's folder.
  package let path: String
  /// The content.
  package let text: String

  /// Creates a file.
  package init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }

  /// The topmost folder of the path; empty for a file in the project's folder.
  var folder: Substring { path.contains("/") ? path.prefix { $0 != "/" } : "" }

  /// The modules that a Swift file imports.
  var imports: [String] {
    guard path.hasSuffix(".swift") else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count == 2 && words[0] == "import" ? String(words[1]) : nil
    }
  }
}

/// The files of the samples that projects are made of.
enum ScaffoldSources {}
