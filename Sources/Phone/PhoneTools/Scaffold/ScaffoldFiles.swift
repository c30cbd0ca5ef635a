// A file of a project, and the files of the sample apps that projects are made of.

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

/// The files of the samples that projects are made of, by their paths in a project.
enum ScaffoldSources {
  static let allInOne = files(of: "AllInOne")
  static let block070 = files(of: "Block070")
  static let callerID = files(of: "CallerID")
  static let liveLookup = files(of: "LiveLookup")
  static let messageFilter = files(of: "MessageFilter")
  static let sampleSharedCommon = files(of: "SampleShared/Common")
  static let sampleSharedDirectory = files(of: "SampleShared/Directory")

  /// The files of a folder in samples/apps.
  private static func files(of sample: String) -> [ScaffoldFile] {
    let folder = "samples/apps/\(sample)/"
    return EmbeddedFile.all.filter { $0.path.hasPrefix(folder) }
      .map { ScaffoldFile(String($0.path.dropFirst(folder.count)), $0.text) }
  }
}
