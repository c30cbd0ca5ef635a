// The files of a source: the paths and globs of its `path` as a list of files. And the files that a list names.

package import Records
package import SystemIO

/// An item of a source's `path`.
package struct SourcePath: Sendable {
  package var text: String
  package var mark: Mark

  package init(text: String, mark: Mark) {
    self.text = text
    self.mark = mark
  }

  /// The path or glob, relative to the working directory.
  package var resolved: String { PipelineDocument.resolve(text, at: mark) }
}

package enum SourceFiles {
  /// The maximum number of files in a source: 50 years of two files a day are 36,500. The state of a published folder has
  /// about 300 bytes for each.
  package static let countMax = 50_000

  /// Returns the files that paths and globs stand for: the items in their order, the matches of a glob in the order of
  /// their bytes. A file that is named more than once stays where it is named first, so that `[first.csv, "*.csv"]`
  /// reads one file before all others.
  ///
  /// A path that exists is that file, even if it is a valid glob. Other paths without glob characters are returned
  /// unchanged: opening them reports what is wrong. A missing path that a shell would expand counts as a glob without a
  /// match.
  ///
  package static func list(
    _ paths: [SourcePath], calls: any SystemCalls = KernelCalls()
  ) throws(Failure) -> [String] {
    var files: [String] = []
    var known: Set<String> = []
    for path in paths {
      for file in try list(path, calls) where known.insert(withoutDots(file)).inserted { files.append(file) }
      guard files.count <= countMax else { throw .tooManyFiles(limit: countMax) }
    }
    return files
  }

  private static func list(_ path: SourcePath, _ calls: any SystemCalls) throws(Failure) -> [String] {
    let resolved = path.resolved
    let isPattern = FilePattern.isPattern(path.text)
    // A shell would replace these; in a pipeline file they are ordinary characters.
    let isForShell = path.text.hasPrefix("~") || (path.text.contains("{") && path.text.contains("}"))
    guard isPattern || isForShell else { return [resolved] }
    let folder = String(decoding: resolved.utf8.dropLast(path.text.utf8.count), as: UTF8.self)
    let found = try asFailure(nil) { () throws(SystemError) -> [String] in
      if try SymbolicLink.isPresent(resolved, calls: calls) { return [resolved] }
      guard isPattern else { return [] }
      return try FilePattern.paths(matching: path.text, in: folder, limit: countMax, calls: calls)
    }
    if found.isEmpty { throw .noMatch(glob: resolved) }
    return found
  }

  /// The path without `.` components and repeated slashes. `..` stays: after a link to a directory it leads elsewhere.
  private static func withoutDots(_ path: String) -> String {
    let names = path.split(separator: "/").filter { $0 != "." }
    return (path.hasPrefix("/") ? "/" : "") + names.joined(separator: "/")
  }
}

/// The names of files in a list, as `find` writes it.
package enum FileNames {
  /// The maximum size of a list.
  package static let bytesMax = 64 << 20
  /// The maximum size of a name in bytes: that of a path in Linux.
  private static let nameBytesMax = 4_096

  /// Reads a list. Its names are ended by NULs if it has one, else by line feeds.
  package static func read(
    _ list: String, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) -> [String] {
    let bytes = try asFailure(nil) { () throws(SystemError) in
      try InputFile.bytes(of: list, limit: bytesMax, calls: calls)
    }
    if bytes.count > bytesMax {
      throw .badNames(list, " is longer than \(Figures.bytes(bytesMax))", hint: "split the list")
    }
    let isZeroEnded = bytes.contains(0)
    let countMax = SourceFiles.countMax
    var parts = bytes.split(
      separator: isZeroEnded ? 0 : Byte.lineFeed, maxSplits: countMax + 1, omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true { parts.removeLast() }
    if parts.isEmpty {
      throw .badNames(
        list, " names no files", hint: "leave out \(option: "files-from") to read standard input", .noInput)
    }
    if parts.count > countMax { throw .tooManyFiles(limit: countMax) }
    var names: [String] = []
    for (index, part) in parts.enumerated() {
      let hasReturn = !isZeroEnded && part.last == Byte.carriageReturn
      let name = String(validating: hasReturn ? part.dropLast() : part, as: UTF8.self)
      switch name {
      case nil: throw .badNames(list, ": name \(index + 1) is not UTF-8")
      case "": throw .badNames(list, ": name \(index + 1) is empty")
      case InputFile.standardInput:
        throw .badNames(
          list, ": name \(index + 1) is '-', standard input", hint: "write './-' for a file of that name")
      case let name? where name.utf8.count > nameBytesMax:
        throw .badNames(
          list, ": name \(index + 1) has \(Figures.bytes(name.utf8.count))",
          hint: "check that it is a list of file names")
      case let name?: names.append(name)
      }
    }
    return names
  }
}

extension Failure {
  fileprivate static func badNames(
    _ list: String, _ text: String, hint: String? = nil, _ errorClass: ErrorClass = .badData
  ) -> Failure {
    Failure(nil, errorClass, "bad-names", InputName.quoted(list) + text, hint: hint)
  }

  /// A glob that matches no file, or a missing path with characters that only a shell would replace.
  fileprivate static func noMatch(glob: String) -> Failure {
    Failure(
      nil, .noInput, "no-match", "no file matches '\(PrintableText.line(glob))'",
      hint: unsupportedSyntax(glob))
  }

  fileprivate static func tooManyFiles(limit: Int) -> Failure {
    Failure(
      nil, .badData, "too-many-files", "more than \(Figures.grouped(UInt64(limit))) files",
      hint: "split them into several sources, or join files")
  }

  /// The hint for a glob with syntax that only shells or YAML have.
  private static func unsupportedSyntax(_ glob: String) -> String? {
    if glob.split(separator: "/").contains(where: { $0.hasPrefix("~") }) {
      return "'~' is not expanded: write ${HOME} instead"
    }
    if glob.hasPrefix("["), glob.hasSuffix("]"), glob.contains(",") {
      return "--set sets one path or glob: write the list in the pipeline file"
    }
    if glob.contains("{"), glob.contains("}") {
      return "braces are not expanded: write a list, such as path: [a.csv, b.csv]"
    }
    if glob.contains("**") {
      return "'**' is the same as '*' and matches no slash: write a list with a glob for each depth, "
        + "such as path: [\"*.csv\", \"*/*.csv\"]"
    }
    return nil
  }
}
