// Pipeline files: what they give, and the line and column of what is wrong with them.

import PipeRunner
import PipeStage
import TestSupport
import Testing

@Suite("Pipeline files")
struct PipelineFileTests {
  static func document(_ text: String, set overrides: [String] = []) throws -> PipelineDocument {
    let directory = try TemporaryDirectory()
    try directory.write("p.yaml", Array(text.utf8))
    return try PipelineDocument(path: directory / "p.yaml", overrides: overrides)
  }

  /// What is wrong with a text: the case's name, and its place.
  static func failure(_ text: String, set overrides: [String] = []) throws -> (
    name: String, line: Int, column: Int
  ) {
    do {
      _ = try document(text, set: overrides)
      return ("none", 0, 0)
    } catch let failure as PipelineFileFailure {
      let name = "\(failure)".prefix { $0 != "(" }
      return (String(name), mark(failure)?.line ?? 0, mark(failure)?.column ?? 0)
    }
  }

  static func mark(_ failure: PipelineFileFailure) -> Mark? {
    switch failure {
    case .unreadable, .tooLarge, .badOverride, .ambiguousOverride: nil
    case .notYAML(let mark, _), .tooDeep(let mark, _), .notSupported(let mark, _),
      .repeatedKey(let mark, _, _),
      .repeatedName(let mark, _, _), .unknownKey(let mark, _, _), .wrongShape(let mark, _, _),
      .missingKey(let mark, _, _), .exclusiveKeys(let mark, _, _):
      mark
    }
  }

  static let whole = """
    name: two
    sources:
      - name: marked
        url: https://example.org/marked.zip
        unzip: { entry: ["*.json", "b*"] }
        normalize: { region: CN }
      - path: complaints.json
        parse: { number: n, strict: true, label: "true" }
    sort:
    dedupe: { keep: last }
    emit:
      - { format: tsv, path: out.tsv }
      - { format: store, block: 诈骗*, path: out.cdstore }
    """

  @Test("a whole file")
  func wholeFile() throws {
    let document = try Self.document(Self.whole)
    #expect(document.name == "two")
    #expect(document.sources.map(\.name) == ["marked", "2"])
    let marked = document.sources[0]
    #expect(marked.stages.map(\.stage) == [.unzip, .normalize])
    #expect(marked.stages[0].settings[0].values.map(\.text) == ["*.json", "b*"])
    guard case .url("https://example.org/marked.zip", _) = marked.input else {
      Issue.record("\(marked.input)")
      return
    }
    let settings = document.sources[1].stages[0].settings
    #expect(settings.map(\.key) == ["number", "strict", "label"])
    #expect(settings.map { $0.values[0].isPlain } == [true, true, false])
    #expect(settings[1].mark.line == 8 && settings[1].mark.column == 25)
    #expect(document.stages.map(\.stage) == [.sort, .dedupe])
    #expect(document.stages[0].settings.isEmpty)
    #expect(document.emits.count == 2)
  }

  @Test(
    "what is wrong has its place",
    arguments: [
      ("sources: [\n", "notYAML", 2, 1),
      ("sources:\n  - path: a\nsrot: {}\n", "unknownKey", 3, 1),
      ("sources:\n  - path: a\n    pars: {}\n", "unknownKey", 3, 5),
      ("name: x\n", "missingKey", 1, 1),
      ("sources:\n  - name: a\n", "missingKey", 2, 5),
      ("sources:\n  - path: a\n    url: b\n", "exclusiveKeys", 2, 5),
      ("sources: 5\n", "wrongShape", 1, 10),
      ("sources:\n  - a\n", "wrongShape", 2, 5),
      ("sources:\n  - path: [a]\n", "wrongShape", 2, 11),
      ("sources:\n  - path: a\nsort: { memory: { a: b } }\n", "wrongShape", 3, 17),
      ("sources:\n  - path: a\nsort: 5\n", "wrongShape", 3, 7),
      ("sources:\n  - path: a\n    path: b\n", "repeatedKey", 3, 5),
      ("sources:\n  - { name: a, path: a }\n  - { name: a, path: b }\n", "repeatedName", 3, 5),
      ("a: &x 1\nsources: *x\n", "notSupported", 2, 10),
      ("? [a]\n: b\n", "notSupported", 1, 3),
      ("--- {}\n--- {}\n", "notYAML", 2, 1),
      (String(repeating: "[", count: 100), "tooDeep", 1, 33),
      ("", "missingKey", 1, 1),
    ])
  func mistakes(text: String, name: String, line: Int, column: Int) throws {
    let failure = try Self.failure(text)
    #expect(failure == (name, line, column), "\(failure)")
  }

  @Test("--set puts values in place, by name, by number, or where there is only one")
  func overrides() throws {
    let document = try Self.document(
      Self.whole,
      set: [
        "sources.marked.normalize.region=KR", "sources.2.path=other.json", "emit.1.path=x=y.tsv",
        "sort.memory=16MiB",
      ])
    #expect(document.sources[0].stages[1].settings[0].values.map(\.text) == ["KR"])
    guard case .path("other.json", let mark) = document.sources[1].input else {
      Issue.record("\(document.sources[1].input)")
      return
    }
    #expect(mark.isTyped)
    #expect(document.emits[0].settings[1].values[0].text == "x=y.tsv")
    #expect(document.stages[0].settings[0].key == "memory")
    let one = try Self.document("sources:\n  - path: a\n", set: ["normalize.region=KR", "path=b"])
    #expect(one.sources[0].stages[0].settings[0].values[0].text == "KR")
  }

  @Test(
    "an override that leads nowhere is refused",
    arguments: [
      ("nothing", "badOverride"), ("=x", "badOverride"), ("a..b=x", "badOverride"),
      ("sources.marked.path.deeper=x", "badOverride"), ("normalize.region=KR", "ambiguousOverride"),
      ("emit.9.path=x", "ambiguousOverride"), ("unknown=1", "unknownKey"),
    ])
  func badOverrides(text: String, name: String) throws {
    let two =
      "sources:\n  - { name: marked, path: a }\n  - { name: b, path: b }\nemit: [{ path: c }, { path: d }]\n"
    #expect(try Self.failure(two, set: [text]).name == name)
  }
}
