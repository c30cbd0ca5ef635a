// Label maps: the meaning of rules, and invalid lines.

import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Label maps")
struct LabelMapTests {
  /// The result for records with these labels; `-` for a dropped one.
  static func mapped(_ map: [UInt8], _ labels: [String]) throws -> [String] {
    let directory = try TemporaryDirectory()
    try directory.write("map.txt", map)
    var options = DedupeOptions()
    options.labelMapPath = directory / "map.txt"
    var batch = RecordBatch()
    let records = labels.enumerated().map { index, label in
      TestRecord(
        UInt64(index + 1), UInt64(index + 1),
        RecordFields.bytes(RecordFields.Fields(label: label, source: "s")))
    }
    let run = try DedupeRun(records, options, through: &batch)
    var result = labels.map { _ in "-" }
    for record in run.records {
      result[Int(record.first) - 1] = RecordFields.fields(record.recordFields.span).label
    }
    return result
  }

  static func mapped(_ map: String, _ labels: [String]) throws -> [String] {
    try mapped(Array(map.utf8), labels)
  }

  @Test("the first rule that matches is applied, and results are not mapped again")
  func firstFits() throws {
    let map = """
      # spam of all kinds
      诈骗 = 诈骗电话
      诈骗* = spam

      spam=诈骗
      ?? = two
      """
    #expect(
      try Self.mapped(map, ["诈骗", "诈骗短信", "spam", "ab", "é!", "abc", "", "诈骗电话"])
        == ["诈骗电话", "spam", "诈骗", "two", "two", "abc", "", "spam"])
    #expect(try Self.mapped("* = all\na = b\n", ["a", "", "c"]) == ["all", "all", "all"])
    #expect(try Self.mapped("a = b\n* = all\n", ["a", "c"]) == ["b", "all"])
  }

  @Test(
    "an empty right side removes the label, a dash drops the record, an empty left side matches records without a label"
  )
  func dropping() throws {
    #expect(try Self.mapped("a =\nb = -\n= none\n", ["a", "b", "", "c"]) == ["", "-", "none", "c"])
    #expect(try Self.mapped("b = \\-\nc = - -\n", ["b", "c"]) == ["-", "- -"])
  }

  @Test("spaces around a side are ignored; a backslash escapes the next character")
  func escapes() throws {
    #expect(
      try Self.mapped(
        "\u{FEFF} a  b \t=  x  y \r\n\\ c\\  = \\ z\\ \r\n", ["a  b", " c ", "c"]) == ["x  y", " z ", "c"])
    #expect(
      try Self.mapped(
        "\\* = star\n\\?\\= = mark\n\\# = hash\nt\\tn\\n = \\\\ \\n\n", ["*", "?=", "#", "t\tn\n", "x"])
        == ["star", "mark", "hash", "\\ \n", "x"])
    #expect(try Self.mapped("a = b = c\n# = x\n", ["a", "#"]) == ["b = c", "#"])
    #expect(try Self.mapped("", ["a"]) == ["a"])
    #expect(try Self.mapped("a = b", ["a"]) == ["b"])
  }

  @Test(
    "an invalid line is named",
    arguments: [
      ("a = b\n\n# c\nno rule\n", 4, "no-equals"), ("a = \\x\n", 1, "bad-escape"),
      ("a = b\n\\", 2, "bad-escape"), ("a = b\nx\\y", 2, "bad-escape"),
    ])
  func errors(text: String, line: Int, code: String) throws {
    try Self.expect(Array(text.utf8), line, code)
  }

  @Test("a line that is not UTF-8 is named")
  func notUTF8() throws {
    try Self.expect(Array("a = b\n".utf8) + [0x61, 0x3D, 0xC3, 0x0A], 2, "not-utf8")
  }

  static func expect(_ text: [UInt8], _ line: Int, _ code: String) throws {
    let failure = stageError { () throws(Failure) in
      do {
        _ = try mapped(text, ["a"])
      } catch let failure as Failure {
        throw failure
      } catch {
        Issue.record(error)
      }
    }
    #expect(failure?.code == code && failure?.errorClass == .badData)
    #expect(failure?.message.message.contains("/map.txt:\(line): ") == true)
    #expect(failure?.stage == .dedupe)
  }

  @Test("a file beyond the limit, and a missing file, are refused")
  func files() throws {
    let directory = try TemporaryDirectory()
    try directory.write("large", [UInt8](repeating: UInt8(ascii: "#"), count: (1 << 20) + 1))
    for (name, wanted) in [("large", ErrorClass.badData), ("missing", .noInput)] {
      var options = DedupeOptions()
      options.labelMapPath = directory / name
      let failure = stageError { () throws(Failure) in
        var batch = RecordBatch()
        _ = try DedupeRun([], options, through: &batch)
      }
      #expect(failure?.errorClass == wanted)
    }
  }

  @Test("a record that its new label makes too long is rejected with its row number, and the others continue")
  func tooLong() throws {
    let directory = try TemporaryDirectory()
    try directory.write("map.txt", Array("a = \(String(repeating: "x", count: 200))\n".utf8))
    var options = DedupeOptions()
    options.labelMapPath = directory / "map.txt"
    let stage = try StageFixture(.dedupe)
    let sink = CollectingRecords()
    let source = String(repeating: "s", count: RecordFields.bytesMax - 10)
    try feed(
      [TestRecord(5, "a"), TestRecord(6, "a\t\(source)"), TestRecord(7, "b")], cut: .every(2),
      to: try Deduper(options: options, context: stage.context, downstream: sink))
    #expect(stage.rejectLines == ["2 label-too-long"])
    #expect(sink.records.map(\.first) == [5, 7])
    #expect(stage.meter.rejects.value == 1)
  }
}
