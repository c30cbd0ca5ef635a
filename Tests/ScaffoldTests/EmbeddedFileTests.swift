// The files in the program are those of the checkout, and of the sample apps in it all that projects are made of.

import PhoneTools
import Foundation
import Testing

@Suite("Embedded files")
struct EmbeddedFileTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  /// The folders of a sample that a project has. Each belongs to one sort of target.
  private static let folders: Set<Substring> = ["App", "Extension", "Shared"]

  /// The folder of the sample that a file belongs to, such as `samples/apps/SampleShared/Common`.
  private static func sample(_ path: String) -> String? {
    let parts = path.split(separator: "/")
    guard path.hasPrefix("samples/apps/"), let place = parts.firstIndex(where: folders.contains) else {
      return nil
    }
    return parts[..<place].joined(separator: "/")
  }

  @Test("each has the name and the bytes of a file in the checkout, once")
  func bytes() throws {
    let files = EmbeddedFile.all
    #expect(files.count > 50 && Set(files.map(\.path)).count == files.count)
    for file in files {
      let data = try Data(contentsOf: Self.root.appendingPathComponent(file.path))
      #expect(Array(file.text.utf8) == Array(data), "\(file.path)")
    }
  }

  @Test("of a sample app whose files are embedded, none is missing in the list of CEmbeddedFiles.c")
  func complete() throws {
    let embedded = Set(EmbeddedFile.all.map(\.path))
    let samples = Set(embedded.compactMap(Self.sample))
    #expect(samples.count == 7)
    for sample in samples {
      let base = Self.root.appendingPathComponent(sample).path
      let names = try #require(FileManager.default.enumerator(atPath: base)?.allObjects as? [String])
      let sources = names.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".xcstrings") }
        .map { "\(sample)/\($0)" }
      // What is in none of the three folders is in no project.
      #expect(sources.filter { Self.sample($0) == sample && !embedded.contains($0) } == [])
    }
  }
}
