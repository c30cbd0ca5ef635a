// The files that the paths and globs of a source stand for.

import Records
import SystemIO
import TestSupport
import Testing

@testable import Runner

@Suite("Files of a source")
struct SourceFilesTests {
  private static let names = [
    "b.csv", "a.csv", "B.csv", "a10.csv", "a9.csv", ".hidden.csv", "é.csv", "x[1].csv", "x1.csv", "day/1.csv",
    "day/2.csv", "night/1.csv", "sub.csv/inner.csv",
  ]

  /// The files of some paths in a pipeline file in a folder with ``names``, relative to that folder.
  private static func files(_ paths: [String]) throws -> [String] {
    // Its name must not be read as a part of the glob.
    let directory = try TemporaryDirectory()
    let base = directory / "p[a-z]*"
    for folder in ["", "/day", "/night", "/sub.csv"] { try Directory.make(base + folder) }
    for name in names { try directory.write("p[a-z]*/" + name, [0x0A]) }
    let mark = Mark(file: base + "/pipeline.yaml", line: 1, column: 1)
    return try SourceFiles.list(paths.map { SourcePath(text: $0, mark: mark) }).map { path in
      path.hasPrefix(base + "/") ? String(path.dropFirst(base.utf8.count + 1)) : path
    }
  }

  @Test(
    "globs match files in the order of their bytes, and no hidden files or directories",
    arguments: [
      (["*.csv"], ["B.csv", "a.csv", "a10.csv", "a9.csv", "b.csv", "x1.csv", "x[1].csv", "é.csv"]),
      (["?.csv"], ["B.csv", "a.csv", "b.csv"]),
      (["[ab]*.csv"], ["a.csv", "a10.csv", "a9.csv", "b.csv"]),
      (["[!a-z]*.csv"], ["B.csv", "é.csv"]),
      (["a[[:digit:]]*"], ["a10.csv", "a9.csv"]),
      ([".*.csv"], [".hidden.csv"]),
      (["*/1.csv"], ["day/1.csv", "night/1.csv"]),
      (["*/*"], ["day/1.csv", "day/2.csv", "night/1.csv", "sub.csv/inner.csv"]),
      (["./day/[12].csv"], ["./day/1.csv", "./day/2.csv"]),
      (["x\\[*"], ["x[1].csv"]),
    ])
  func globs(paths: [String], expected: [String]) throws {
    // Outside of UTF-8 locales, ? is a byte of é.
    #expect(try Self.files(paths) == expected)
  }

  @Test("a path that exists is that file, even if it is a glob")
  func literal() throws {
    #expect(try Self.files(["x[1].csv"]) == ["x[1].csv"])
    #expect(try Self.files(["missing.csv"]) == ["missing.csv"])
    #expect(try Self.files(["-"]) == ["-"])
  }

  @Test("the items of a list keep their order, and a file is read once")
  func lists() throws {
    #expect(try Self.files(["b.csv", "[ab].csv", "./a.csv", "-", "b.csv"]) == ["b.csv", "a.csv", "-"])
    // What `..` means depends on links, so these are two files.
    #expect(try Self.files(["a.csv", "day/../a.csv"]) == ["a.csv", "day/../a.csv"])
  }

  @Test(
    "a glob without a match is an error, and so is a missing path that a shell would expand",
    arguments: ["*.tsv", "nowhere/*.csv", "a.csv/*", "day/*.tsv", "*/3.csv", "{a,b}.csv", "~/a.csv"])
  func noMatch(glob: String) throws {
    do {
      Issue.record("it matches \(try Self.files([glob]))")
    } catch let error as Failure {
      #expect(error.code == "no-match")
      #expect(error.message.message.hasSuffix("/\(glob)'"))
      #expect(error.errorClass == .noInput)
    }
  }

  @Test("a directory that can't be listed is an error, not an empty one")
  func unreadable() throws {
    let directory = try TemporaryDirectory()
    try SymbolicLink.replace(directory / "loop", by: "loop", calls: KernelCalls())
    let mark = Mark(file: directory / "pipeline.yaml", line: 1, column: 1)
    let failure = stageError { () throws(Failure) in
      _ = try SourceFiles.list([SourcePath(text: "loop/*.csv", mark: mark)])
    }
    #expect(failure?.systemError != nil, "\(String(describing: failure))")
  }

  @Test(
    "a list of a source",
    arguments: [
      ("{ path: [a, 'b*'] }", "a b*"), ("{ path: a }", "a"), ("{ path: [a] }", "a"),
    ])
  func settings(text: String, expected: String) throws {
    let file = try document("sources: \(text)\n").get()
    guard case .paths(let paths) = file.sources[0].input else {
      Issue.record("no paths")
      return
    }
    #expect(paths.map(\.text).joined(separator: " ") == expected)
    #expect(paths.allSatisfy { $0.mark.line == 1 })
  }

  @Test("paths of the wrong shape", arguments: ["[]", "{ a: b }", "[a, [b]]", "[{ a: b }]"])
  func shapes(path: String) throws {
    let text = try errorText("sources: { path: \(path) }\n")
    #expect(text.hasSuffix("'path' must be a path, a glob, or a list of them"))
  }
}

@Suite("Names of files in a list")
struct FileNamesTests {
  private static func names(_ text: some Sequence<UInt8>) throws -> [String] {
    let directory = try TemporaryDirectory()
    try directory.write("list", Array(text))
    return try FileNames.read(directory / "list")
  }

  @Test(
    "names end with line feeds, or with NULs if there is one",
    arguments: [
      ("a.csv\nb c.csv\n", ["a.csv", "b c.csv"]), ("a.csv\r\nb.csv", ["a.csv", "b.csv"]),
      ("a\nb.csv\0c\r\0", ["a\nb.csv", "c\r"]), ("*.csv", ["*.csv"]),
    ])
  func names(text: String, expected: [String]) throws {
    #expect(try Self.names(text.utf8) == expected)
  }

  @Test(
    "what is not a list of names",
    arguments: [
      ("", "names no files"), ("a\n\nb\n", "name 2 is empty"), ("a\0\0", "name 2 is empty"),
      ("\n", "name 1 is empty"),
      ("a\n-\n", "name 2 is '-', standard input"),
      ("a\n" + String(repeating: "b", count: 4_097), "name 2 has 4.0 KiB"),
    ])
  func invalid(text: String, expected: String) throws {
    let failure = try #require(throws: Failure.self) { try Self.names(text.utf8) }
    #expect(failure.message.sentence.hasSuffix(expected), "\(failure.message.sentence)")
    #expect(failure.errorClass == (text.isEmpty ? .noInput : .badData))
  }

  @Test("limits, and bytes that are not UTF-8")
  func limits() throws {
    let most = Array(repeating: "a\n", count: SourceFiles.countMax).joined()
    #expect(try Self.names(most.utf8).count == SourceFiles.countMax)
    #expect(try Self.names(String(repeating: "a", count: 4_096).utf8).count == 1)
    for text in [
      Array((most + "a").utf8), [0xFF, 0x0A], Array(repeating: 0x61, count: FileNames.bytesMax + 1),
    ] {
      #expect(throws: Failure.self) { try Self.names(text) }
    }
  }
}
