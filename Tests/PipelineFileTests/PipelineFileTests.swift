// Pipeline files: the places of keys and values, errors with their places, and overrides.

import Records
import TestSupport
import Testing

@testable import Runner

@Suite("Pipeline files")
struct PipelineFileTests {
  private static let whole = """
    name: nightly
    sources:
      - name: marked
        url: https://example.org/marked.zip
        unzip: { entry: "*.json" }
        normalize: { region: CN }
      - path: complaints.csv
        parse: { number: Phone, label: Subject }
    sort:
    dedupe: { keep: first, conflicts: "a b.tsv" }
    emit:
      - { format: store, block: ["x*", 'y'], path: out.cdstore }
      - path: out.tsv
    """

  @Test("the keys and values of a file, with their places")
  func places() throws {
    let file = try document(Self.whole).get()
    #expect(file.name == "nightly")
    #expect(file.sources.map(\.name) == ["marked", "2"])
    #expect(file.sources[0].stages.map(\.stage) == [.unzip, .normalize])
    #expect(file.sources[1].stages.map(\.stage) == [.parse])
    #expect(file.stages.map(\.stage) == [.sort, .dedupe])
    #expect(file.stages[0].settings.isEmpty)
    #expect(file.emits.count == 2)
    let keep = file.stages[1].settings[0]
    #expect(keep.key == "keep" && keep.texts == ["first"])
    #expect([keep.mark.line, keep.mark.column, keep.valueMark.column] == [10, 11, 17])
    #expect(file.stages[1].settings[1].texts == ["a b.tsv"])
    #expect(file.emits[0].settings.map(\.texts) == [["store"], ["x*", "y"], ["out.cdstore"]])
    #expect(file.emits[0].settings[1].values.map(\.isPlain) == [false, false])
    #expect(file.emits[0].settings[0].values.map(\.isPlain) == [true])
    #expect([file.emits[1].mark.line, file.emits[1].mark.column] == [13, 5])
    guard case .paths(let paths) = file.sources[1].input, let path = paths.first else {
      Issue.record("the second source is a file")
      return
    }
    #expect(paths.count == 1 && path.text == "complaints.csv")
    #expect(path.mark.line == 7 && path.mark.column == 11)
  }

  @Test("one source or output may be written without a list; columns count characters, not bytes")
  func short() throws {
    let file = try document("sources: { path: a.json }\nemit: { block: 诈骗, path: x.csv }\n").get()
    #expect(file.sources.count == 1 && file.emits.count == 1)
    #expect(file.emits[0].settings[1].mark.column == 20)
  }

  @Test("a stage of a source and of all sources, with its keys in a list")
  func ordered() throws {
    let file = try document(
      """
      sources:
        - { path: a, select: { keep: x } }
        - { generate: b, select: [drop: y] }
      select:
        - keep: [x, y]
        - drop: z
        - keep: u
      """
    ).get()
    #expect(file.sources.map { $0.stages.map(\.stage) } == [[.select], [.select]])
    #expect(file.stages.map(\.stage) == [.select])
    #expect(file.stages[0].settings.map(\.key) == ["keep", "drop", "keep"])
    #expect(file.stages[0].settings.map(\.texts) == [["x", "y"], ["z"], ["u"]])
  }

  @Test(
    "errors and their places",
    arguments: [
      ("", "1:1: the pipeline file needs 'sources'"),
      ("name: x\n", "1:1: the pipeline file needs 'sources'"),
      ("- a\n", "1:1: the pipeline file must be keys with values, such as { key: value }"),
      ("text\n", "1:1: the pipeline file must be keys with values, such as { key: value }"),
      (
        "sources: { path: a }\nselect: { keep: x, drop: y }\n",
        "2:20: the order of 'keep' and 'drop' matters: write each as an item of a list"
      ),
      ("sources: []\n", "1:10: a source needs 'path', 'url' or 'generate'"),
      ("sources: a\n", "1:10: 'sources' must be a list"),
      ("sources:\n  - a\n", "2:5: 'sources' must be keys with values, such as { key: value }"),
      ("sources:\n  - parse: {}\n", "2:5: a source needs 'path', 'url' or 'generate'"),
      ("sources:\n  - path: a\n    url: b\n", "2:5: 'path' and 'url' exclude each other"),
      ("sources:\n  - generate: a\n    min-rows: 5\n", "3:5: 'min-rows' and 'generate' exclude each other"),
      ("sources:\n  - generate: a\n    max-rows: 5\n    max-numbers: 5\n    max-overlaps: 5\n", "nothing"),
      ("sources:\n  - path: []\n", "2:11: 'path' must be a path, a glob, or a list of them"),
      ("sources:\n  - path: a\n    prase: {}\n", "3:5: unknown key 'prase'"),
      ("sources:\n  - path: a\n    sort: {}\n", "3:5: unknown key 'sort'"),
      ("sources: [{ path: a }]\nnormalize: {}\n", "2:1: unknown key 'normalize'"),
      ("sources: [{ path: a }]\nsort: 5\n", "2:7: 'sort' must be keys with values, such as { key: value }"),
      (
        "sources: [{ path: a }]\nsort: { memory: { a: b } }\n",
        "2:17: 'memory' takes one value, not a list or keys"
      ),
      (
        "sources: [{ path: a }]\nemit: [{ block: [[x]] }]\n",
        "2:18: 'block' takes one value, not a list or keys"
      ),
      ("sources: [{ path: a }]\nemit: x\n", "2:7: 'emit' must be a list"),
      ("sources: [{ path: a }]\nselect: x\n", "2:9: 'select' must be a list"),
      (
        "sources: [{ path: a }]\nselect: [x]\n",
        "2:10: 'select' must be keys with values, such as { key: value }"
      ),
      ("sources: [{ path: a }]\nsort: {}\nsort: {}\n", "3:1: repeated key 'sort'; the first is at line 2"),
      (
        "sources: [{ name: a, path: a }, { name: a, path: b }]\n",
        "1:33: another source named 'a'; the first is at line 1"
      ),
      ("sources: &a [{ path: a }]\nemit: *a\n", "2:7: aliases (*name) are not supported"),
      ("sources: [{ path: a }]\n? [x]\n: y\n", "2:3: keys that are lists are not supported"),
      ("sources: [\n", "2:1: not YAML"),
      ("sources: \"a\n", "2:1: not YAML"),
      ("a: b: c\n", "1:5: not YAML"),
      ("a: 1\n---\nb: 2\n", "2:1: not YAML"),
    ])
  func errorTexts(text: String, expected: String) throws {
    #expect(try errorText(text) == expected)
  }

  @Test("nesting and size are limited")
  func limits() throws {
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    #expect(try errorText("sources: \(deep)\n") == "1:41: nested deeper than 32 levels")
    let long = "sources: [{ path: a }]\n" + String(repeating: "# comment\n", count: 120_000)
    guard case .failure(let error) = try document(long) else {
      Issue.record("it is not too large")
      return
    }
    #expect(error.failure.code == "too-large")
  }

  @Test("bytes that are not UTF-8 are not YAML")
  func bytes() throws {
    let directory = try TemporaryDirectory()
    try directory.write("test.yaml", Array("name: ".utf8) + [0xFF, 0xFE, 0x0A])
    #expect(throws: PipelineFileError.self) {
      try PipelineDocument(path: directory / "test.yaml", layout: .test, overrides: [])
    }
  }

  // MARK: Overrides

  private static let base = """
    sources:
      - name: marked
        path: a.json
        normalize: { region: CN }
    sort:
    emit: [{ path: out.tsv }]
    """

  @Test("overrides replace a value, add one, and add a stage")
  func overrides() throws {
    let file = try document(
      Self.base,
      set: [
        "normalize.region=KR", "sources.marked.parse.format=json", "sources.1.path=b=c.json",
        "sort.memory=12MiB",
        "dedupe.keep=last", "emit.path=", "name=new",
      ]
    ).get()
    #expect(file.name == "new")
    #expect(file.sources[0].stages.map(\.stage) == [.parse, .normalize])
    #expect(file.sources[0].stages.flatMap { $0.settings.map(\.texts) } == [["json"], ["KR"]])
    #expect(file.stages.flatMap { $0.settings.map(\.texts) } == [["12MiB"], ["last"]])
    #expect(file.emits[0].settings.map(\.texts) == [[""]])
    guard case .paths(let paths) = file.sources[0].input else {
      Issue.record("the path was replaced")
      return
    }
    #expect(paths.map(\.text) == ["b=c.json"])
    // A path on the command line is relative to the working directory, and has no line.
    #expect(paths.map(\.mark.line) == [0])
  }

  @Test(
    "invalid overrides",
    arguments: [
      ("region", "--set needs KEY=VALUE, got 'region'"), ("=x", "--set =x matches nothing"),
      ("sort..memory=1", "--set sort..memory=1 matches nothing"),
      (".=x", "--set .=x matches nothing"),
      ("sources.marked.path.deeper=x", "--set sources.marked.path.deeper=x matches nothing"),
      ("colour=red", "--set colour=red: unknown key 'colour'"),
    ])
  func badOverrides(text: String, expected: String) throws {
    #expect(try errorText(Self.base, set: [text]) == expected)
  }

  @Test("an override must name one of several items")
  func ambiguous() throws {
    let several = "sources: [{ path: a }, { name: two, path: b }]\n"
    #expect(
      try errorText(several, set: ["sources.path=x"])
        == "--set sources.path=x: there are 2 of them, and none is named 'path'")
    #expect(
      try errorText(several, set: ["sources.3.path=x"])
        == "--set sources.3.path=x: there are 2 of them, and none is named '3'")
    let file = try document(several, set: ["sources.two.path=x", "sources.1.path=y"]).get()
    let paths = file.sources.map { source -> String in
      if case .paths(let paths) = source.input { paths.map(\.text).joined(separator: " ") } else { "" }
    }
    #expect(paths == ["y", "x"])
  }
}
