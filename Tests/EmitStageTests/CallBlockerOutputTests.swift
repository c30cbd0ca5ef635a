// The lists of call blockers: their texts and bytes, what they can't represent, and ranges as patterns.

import Records
import Synchronization
import TestSupport
import Testing

@testable import RecordStages

/// The rows of ``EmitFormat/templates`` that these tests name.
extension EmitFormat {
  fileprivate static let saracroche = EmitFormat(rawValue: "saracroche") ?? .tsv
  fileprivate static let plist = EmitFormat(rawValue: "plist") ?? .tsv
  fileprivate static let kamailio = EmitFormat(rawValue: "kamailio") ?? .tsv
}

@Suite("Lists of call blockers")
struct CallBlockerOutputTests {
  private static let records = [
    TestRecord(4_930_555_000_001, "Say \\\"hi\\\", <b> & co\tlist\t7"),
    TestRecord(441_632_960_000, to: 441_632_960_999, "Range"), TestRecord(441_632_961_001),
  ].sorted { $0.first < $1.first }

  /// The output of records in a format, and the notices.
  private static func emit(
    _ records: [TestRecord], _ format: EmitFormat, _ change: (inout EmitOptions) -> Void = { _ in }
  ) throws -> (bytes: [UInt8], notices: [EmitNotice], path: String) {
    let directory = try TemporaryDirectory()
    var options = EmitOptions(format: format, output: directory / "list")
    options.allowsEmpty = true
    change(&options)
    let notices = Mutex<[EmitNotice]>([])
    let stage = try StageFixture(.emit)
    let emitter = try Emitter(
      options: [options], context: stage.context,
      notify: { notice in notices.withLock { $0 += [notice as? EmitNotice].compactMap { $0 } } })
    try feed(records, to: emitter)
    return (directory.read("list") ?? [], notices.withLock { $0 }, options.output)
  }

  private static func text(_ records: [TestRecord], _ format: EmitFormat) throws -> String {
    String(decoding: try emit(records, format).bytes, as: UTF8.self)
  }

  @Test("extensions stand for formats in any case; some fit several formats, or none that is written")
  func names() {
    for (name, format) in [
      ("a.csv", EmitFormat.csv), ("a.CSV", .csv), ("b.d/a.Vcf", .vcard), ("a.SIA", .yacb),
      ("a.cdstore", .store),
      ("a.CDSTORE", .store), ("a.DB", .sqlite), ("a", .tsv), ("a.txt", .tsv), ("-", .tsv), ("csv", .tsv),
      ("a.csv/b", .tsv), ("a.", .tsv), ("a.NDJSON", .jsonl), ("a.json", .tsv),
    ] as [(String, EmitFormat)] { #expect(EmitFormat.named(name) == format, "\(name)") }
    for name in ["a.csv", "a.txt", "a", "-", "xml", "a.cdstore", "b.d/a", "a.TEXT"] {
      #expect(EmitFormat.nameError(name, chosen: nil) == nil, "\(name)")
    }
    #expect(EmitFormat.nameError("a.JSON", chosen: nil)?.hasSuffix(": jsonl, saracroche, phoneblock") == true)
    #expect(EmitFormat.nameError("a.xml", chosen: nil)?.hasSuffix(": phonebook, plist") == true)
    #expect(EmitFormat.nameError("a.Xlsx", chosen: nil)?.hasSuffix("choose a name in .csv") == true)
    #expect(EmitFormat.nameError("a.list", chosen: nil)?.contains("no format has this extension") == true)
    #expect(EmitOptions(format: .store, output: "A.CDSTORE").isDirectory == false)
    #expect(EmitFormat.nameError("a/", chosen: nil)?.hasSuffix(", such as 'a/list.tsv'") == true)
    #expect(EmitFormat.nameError("a/", chosen: .asterisk)?.hasSuffix(", such as 'a/list.csv'") == true)
    #expect(
      EmitFormat.nameError("a/", chosen: .store) == nil && EmitFormat.nameError("a/", chosen: .pir) == nil)
  }

  @Test("a name of another format than the chosen one is an error with a way out that fits")
  func otherNames() {
    let names = ["csv", "cdstore", "json", "txt", "html", "parquet", "sia", "unknown", ""].map {
      "d.e/a.\($0)"
    }
    for format in EmitFormat.allCases {
      let fitting = names.filter { EmitFormat.nameError($0, chosen: format) == nil }
      // A name that stands for the format, and one that no format has, fit.
      #expect(fitting.contains("d.e/a.unknown") && fitting.contains("d.e/a."))
      #expect(fitting.contains("d.e/a.txt") == ![.store, .sqlite, .yacb, .pir].contains(format), "\(format)")
      #expect(fitting.contains("d.e/a.html") == (format == .template), "\(format)")
      #expect(!fitting.contains("d.e/a.parquet"), "\(format)")
      for name in names {
        guard let error = EmitFormat.nameError(name, chosen: format), error.contains("such as '") else {
          continue
        }
        let other = error.split(separator: "'").last.map(String.init) ?? ""
        #expect(EmitFormat.nameError(other, chosen: format) == nil && other != name, "\(error)")
      }
    }
    #expect(EmitFormat.nameError("a.csv", chosen: .kamailio) == nil)
    #expect(EmitFormat.nameError("a.vcf", chosen: .vcard4) == nil)
    #expect(EmitFormat.nameError("a.json", chosen: .template) == nil)
    #expect(EmitFormat.nameError("a.cdstore", chosen: .template) != nil)
  }

  @Test("options without effect are reported")
  func withoutEffect() {
    for format in EmitFormat.allCases {
      let isUsed = format == .store || format == .pir
      #expect(
        EmitOptions(format: format, blockGlobs: ["x"]).notices
          == (isUsed ? [] : [.unusedBlock(format: format)]))
      #expect(EmitOptions(format: format).notices.isEmpty)
    }
    var options = EmitOptions(format: .template)
    for (text, hasFields) in [
      ("x", false), ("{{e164}}", false), ("", false), ("{label}", true), ("a{+e164}", true),
    ] {
      options.template = TemplateOptions(record: text)
      #expect(options.notices == (hasFields ? [] : [.templateWithoutFields]), "\(text)")
    }
  }

  @Test("a name or an extension stands for one format")
  func aliases() {
    var names: Set<String> = []
    for format in EmitFormat.allCases {
      for name in [format.rawValue] + format.aliases {
        #expect(EmitFormat(rawValue: name) == format && names.insert(name).inserted, "\(name)")
      }
    }
    #expect(EmitFormat(rawValue: "fritzbox") == .phonebook && EmitFormat(rawValue: "db") == .sqlite)
    #expect(EmitFormat(rawValue: "json") == nil && EmitFormat(rawValue: "") == nil)
  }

  @Test("SpamBlocker's rules are expressions for whole numbers, without quotes in labels")
  func spamBlocker() throws {
    #expect(
      try Self.text(Self.records, .spamblocker) == """
        pattern,description
        441632960\\d{3},Range
        441632961001,
        4930555000001,"Say 'hi', <b> & co"

        """)
    #expect(try Self.text([TestRecord(10, to: 19)], .spamblocker) == "pattern,description\n1\\d,\n")
    let notices = try Self.emit(Self.records, .spamblocker).notices.map { "\($0)".prefix(14) }
    #expect(notices == ["fieldsLeftOut(", "fieldsReplaced"])
  }

  @Test("Saracroche's patterns have at most six open digits")
  func saracroche() throws {
    #expect(
      try Self.text(Self.records, .saracroche) == """
        {"version":"1","name":"cdpipe","patterns":[
        {"name":"Range","action":"block","pattern":"441632960###"},
        {"name":"","action":"block","pattern":"441632961001"},
        {"name":"Say \\"hi\\", <b> & co","action":"block","pattern":"4930555000001"}
        ]}

        """)
    let text = try Self.text([TestRecord(330_000_000, to: 339_999_999)], .saracroche)
    #expect(text.split(separator: "######\"").count == 11)
  }

  @Test("lists that are one text for each number: Fossify's line, FreeSWITCH's lines, Kamailio's table")
  func templates() throws {
    let records = [TestRecord(10, "=a, \"b\"\tlist\t7"), TestRecord(20, to: 21)]
    for (name, text) in [
      ("fossify", "+10,+20,+21"), ("freeswitch", "10\n20\n21\n"),
      ("kamailio", "prefix,allowlist,description\n10,0,\"=a, \"\"b\"\"\"\n20,0,\n21,0,\n"),
    ] {
      let format = try #require(EmitFormat(rawValue: name))
      #expect(try Self.text(records, format) == text)
    }
    let safe = try Self.emit(records, .kamailio) { $0.isCSVSafe = true }.bytes
    #expect(String(decoding: safe, as: UTF8.self).contains("\n10,0,\"'=a, \"\"b\"\"\"\n"))
    for format in EmitFormat.templates { #expect(throws: Never.self) { try Self.text([], format) } }
    #expect(
      try Self.emit([TestRecord(10, "a\u{01}b")], .plist).notices.map { "\($0)".prefix(14) }
        == ["fieldsReplaced"])
  }

  @Test("PhoneBlock's list has votes and one of seven ratings")
  func phoneBlock() throws {
    let records = [
      TestRecord(1, "C_PING\t\t12"), TestRecord(2, "fraud\t\t-3"), TestRecord(3, to: 4, "\t\t5000000000"),
    ]
    let result = try Self.emit(records, .phoneblock)
    #expect(
      String(decoding: result.bytes, as: UTF8.self) == """
        {"numbers":[
        {"phone":"+1","votes":12,"rating":"C_PING"},
        {"phone":"+2","votes":-3,"rating":"B_MISSED"},
        {"phone":"+3","votes":2147483647,"rating":"B_MISSED"},
        {"phone":"+4","votes":2147483647,"rating":"B_MISSED"}
        ]}

        """)
    #expect(
      result.notices == [.fieldsReplaced([.label, .score], format: .phoneblock, path: result.path)])
    #expect(try Self.text([TestRecord(5)], .phoneblock).contains("\"votes\":10,\"rating\":\"B_MISSED\""))
  }

  @Test("Begone's dictionaries have four strings, patterns of two to six open digits, and escaped texts")
  func begone() throws {
    let text = try Self.text(Self.records, .plist)
    #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist"))
    #expect(
      text.hasSuffix(
        """
        	<dict>
        		<key>addNational</key>
        		<string>true</string>
        		<key>category</key>
        		<string>0</string>
        		<key>number</key>
        		<string>+4930555000001</string>
        		<key>title</key>
        		<string>Say &quot;hi&quot;, &lt;b&gt; &amp; co</string>
        	</dict>
        </array>
        </plist>

        """))
    #expect(text.contains("<string>+441632960###</string>"))
    #expect(try Self.text([TestRecord(10, to: 19)], .plist).split(separator: "<dict>").count == 11)
    #expect(try Self.text([TestRecord(10, "a\u{01}b")], .plist).contains("<string>a\u{FFFD}b</string>"))
  }

  @Test("FreePBX reads a backslash before a quote as part of the field, and 1 as no description")
  func asterisk() throws {
    let records = [
      TestRecord(1, "a,\\\\"), TestRecord(2, "1"), TestRecord(3, "b\\\\"), TestRecord(4, "c\\nd"),
    ]
    #expect(
      try Self.text(records, .asterisk) == """
        number,description
        1,"a,/"
        2,
        3,b\\
        4,c d

        """)
  }

  @Test("a data slice is what the applications read, byte for byte")
  func dataSlice() throws {
    let records = [
      TestRecord(441_632_960_001, "Scam\t\t5"), TestRecord(441_632_960_002, "company\t\t-3"),
      TestRecord(441_632_960_003, to: 441_632_960_004, "who knows\t\t0"),
    ]
    let result = try Self.emit(records, .yacb)
    var expected = Array("MTZF".utf8)
    expected += [1, 1, 0, 0, 0] as [UInt8]
    expected += Array("ww".utf8)
    expected += [0, 0, 0, 0, 4, 0, 0, 0] as [UInt8]
    let ratings: [[UInt8]] = [[0, 5, 0, 0, 10], [3, 0, 0, 0, 16], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0]]
    for (index, rating) in ratings.enumerated() {
      expected.append(UInt8(index + 1))
      expected += [0x2E, 0x60, 0xD3, 0x66, 0, 0, 0] as [UInt8]
      expected += rating
    }
    expected += Array("CP".utf8)
    expected += [0, 0, 0, 0] as [UInt8]
    expected += Array("MTZEND".utf8)
    #expect(result.bytes == expected)
    #expect(result.notices == [.fieldsReplaced(.label, format: .yacb, path: result.path)])
    let clamped = try Self.emit([TestRecord(1, "category 57\t\t300")], .yacb)
    #expect(Array(clamped.bytes[27..<32]) == [0, 255, 0, 0, 57])
    #expect(clamped.notices == [.fieldsReplaced(.score, format: .yacb, path: clamped.path)])
    #expect(try Self.emit([], .yacb).bytes.count == 31)
  }

  @Test("ranges that need more patterns or numbers than allowed end the command")
  func limits() throws {
    for (format, limit) in [(EmitFormat.plist, 10), (.spamblocker, 11), (.yacb, 100), (.phoneblock, 100)] {
      let range = format == .plist ? TestRecord(10, to: 20) : TestRecord(1, to: 101)
      let failure = stageError { () throws(Failure) in
        do {
          _ = try Self.emit([range], format) { $0.expandMax = UInt64(limit) }
        } catch let error as Failure {
          throw error
        } catch {
          Issue.record(error)
        }
      }
      let isPattern = format == .plist || format == .spamblocker
      let expected = isPattern ? "too-many-patterns" : "ranges-too-long"
      #expect(failure?.code == expected, "\(format)")
    }
  }

  @Test("blocks of two to six open digits are the range, whatever its bounds")
  func openDigits() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("CallBlockerOutputTests: seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<1_000 {
      let first = UInt64.random(in: 1...1 << UInt64.random(in: 1...50, using: &random), using: &random)
      let range =
        first...first + UInt64.random(in: 0...1 << UInt64.random(in: 0...22, using: &random), using: &random)
      var next = range.lowerBound
      NumberBlock.forEach(in: range, openDigits: 2...6) { block in
        #expect(block.openDigits == 0 || 2...6 ~= block.openDigits, "seed \(seed)")
        let size = (0..<block.openDigits).reduce(UInt64(1)) { size, _ in size * 10 }
        #expect(block.prefix * size == next, "seed \(seed)")
        next += size
      }
      #expect(next == range.upperBound + 1, "seed \(seed)")
    }
  }
}
