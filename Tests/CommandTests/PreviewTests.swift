// What `cdpipe preview` recognises in lists of many encodings, layouts and countries, that the pipeline file of
// `cdpipe init` runs as it is, and that `cdpipe convert` writes what the filters write.

import TestSupport
import Testing

@Suite("Previews and new pipeline files")
struct PreviewTests {
  @Test("lists of many kinds are recognised, and their pipeline files run", .timeLimit(.minutes(10)))
  func cases() async throws {
    let workshop = try Workshop()
    let outcome = try await Program.shell(
      "python3 '\(Program.root)/Tests/CommandTests/Programs/preview_cases.py' '\(try Program.path())' .",
      in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.split(separator: "\n").count > 30)
  }

  @Test("convert writes what the filters write, for many kinds of lists", .timeLimit(.minutes(10)))
  func conversions() async throws {
    let workshop = try Workshop()
    let outcome = try await Program.shell(
      "python3 '\(Program.root)/Tests/CommandTests/Programs/convert_cases.py' '\(try Program.path())' .",
      in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.contains("lists, 6 formats, 0 failures"))
  }

  @Test("lists in many encodings are recognised, with and without libuchardet", .timeLimit(.minutes(10)))
  func encodings() async throws {
    let workshop = try Workshop()
    let outcome = try await Program.shell(
      "python3 '\(Program.root)/Tests/CommandTests/Programs/encoding_cases.py' '\(try Program.path())' .",
      in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.split(separator: "\n").count > 30)
  }

  @Test("random lists: parse, preview, init and run read them alike", .seeded, .timeLimit(.minutes(30)))
  func agreement() async throws {
    let workshop = try Workshop()
    let program = "\(Program.root)/Tests/CommandTests/Programs/list_agreement.py"
    let lists = TestEffort.cases(short: 20, long: 2000)
    let outcome = try await Program.shell(
      "python3 '\(program)' '\(try Program.path())' . \(TestSeed.value) \(lists)", in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.contains("\(lists) lists"))
  }

  @Test("a new pipeline file conforms to the schema that it names")
  func schema() async throws {
    let workshop = try Workshop()
    let schema = "\(Program.root)/docs/formats/pipeline.schema.json"
    let outcome = try await Program.shell(
      """
      python3 -c 'import yaml' || { echo 'no yaml'; exit; }
      '\(try Program.path())' init '\(Program.root)/samples/marked.zip' '\(Program.root)/samples/spam.sqlite' >init.txt
      python3 '\(Program.root)/Tests/CommandTests/Programs/validate_json.py' '\(schema)' cdpipe.yaml || exit 9
      sed -e 's/^# publish/publish/; s/^#   /  /; /^    path: stores/d' cdpipe.yaml > publish.yaml
      python3 '\(Program.root)/Tests/CommandTests/Programs/validate_json.py' '\(schema)' publish.yaml || exit 9
      '\(try Program.path())' run --check publish.yaml && grep -q '^publish:' publish.yaml || exit 9
      grep -o 'schema=.*' cdpipe.yaml
      """, in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    if outcome.outputText == "no yaml\n" { return }
    let text = String(decoding: try FileTree.read(schema), as: UTF8.self)
    let named = outcome.outputText.split(separator: "\n").last?.dropFirst("schema=".count) ?? ""
    #expect(!named.isEmpty && text.contains("\"$id\": \"\(named)\""), "\(named)")
  }
}
