// Logs of calls in XML: only the calls that the telephone has blocked are rows.

import Records
import Testing

@testable import InputStages

@Suite struct CallLogTests {
  static let calls = """
    <?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
    <!--File Created By SMS Backup & Restore-->
    <?xml-stylesheet type="text/xsl" href="calls.xsl"?>
    <calls count="5" backup_set="x" backup_date="1520000000000">
      <call number="+33199000001" duration="0" date="1520000000000" type="6" presentation="1" contact_name="(Unknown)" />
      <call number="+33199000002" duration="9" date="1520000000000" type="1" presentation="1" contact_name="Ann" />
      <call number="+33199000003" duration="0" date="1520000000000" type="5" presentation="1" />
      <call number="" duration="0" date="1520000000000" type="6" presentation="2" contact_name="" />
      <call contact_name="Tom &amp; Co" type="6" number="0199 00 00 04" />
    </calls>

    """

  static let entries = """
    <?xml version="1.0" encoding="UTF-8"?>
    <calls>
    <comment>Calls for JFritz v0.7.2</comment>
    <entry calltype="call_in_blocked">
    \t<date>17.06.2009 08:18</date>
    \t<caller>+4930231250001</caller>
    \t<port></port>
    \t<route>865072</route>
    \t<comment>Survey</comment>
    </entry>
    <entry calltype="call_out">
    \t<date>16.06.2009 20:54</date>
    \t<caller>+4930231250002</caller>
    \t<comment></comment>
    </entry>
    </calls>

    """

  @Test(arguments: [ParseOptions.Format.calls, .auto])
  func blockedCallsAreRows(_ format: ParseOptions.Format) throws {
    let outcome = try parseHoweverCut(Self.calls, options(format))
    #expect(outcome.rows == [RawRow("+33199000001", ""), RawRow("0199 00 00 04", "Tom & Co")])
    #expect(outcome.codes == ["not-blocked", "not-blocked", "missing-number"])
    #expect(
      outcome.rejects.map(\.text) == ["+33199000002", "+33199000003", ""] && outcome.lines == [6, 7, 8])
    let jfritz = try parseHoweverCut(Self.entries, options(format))
    #expect(jfritz.rows == [RawRow("+4930231250001", "Survey")])
    #expect(jfritz.codes == ["not-blocked"] && jfritz.rejects.map(\.text) == ["+4930231250002"])
  }

  @Test func aChosenNumberReadsAllCalls() throws {
    let chosen = options(.auto) {
      $0.numberField = .name("number")
      $0.labelField = .name("type")
      $0.dateField = .name("date")
    }
    let outcome = try parseHoweverCut(Self.calls, chosen)
    #expect(
      outcome.rows.map(\.description).prefix(3) == [
        "+33199000001|6\t\t\t2018-03-02", "+33199000002|1\t\t\t2018-03-02", "+33199000003|5\t\t\t2018-03-02",
      ])
    #expect(outcome.codes == ["missing-number", "missing-date"])
    let entries = options(.auto) {
      $0.numberField = .name("caller")
      $0.dateField = .name("date")
    }
    #expect(
      try parseHoweverCut(Self.entries, entries).rows.map(\.description) == [
        "+4930231250001|Survey\t\t\t2009-06-17", "+4930231250002|\t\t\t2009-06-16",
      ])
    let missing = options(.auto) { $0.numberField = .name("tel") }
    #expect(try parseHoweverCut(Self.calls, missing).failure?.code == "no-such-field")
  }

  @Test func longCallsAndOtherDocuments() throws {
    let text = Self.entries.replacing("Survey", with: String(repeating: "x", count: 5_000))
    let short = options(.calls) { $0.recordBytesMax = 1_000 }
    #expect(try parseHoweverCut(text, short).codes == ["record-too-long", "not-blocked"])
    let entity = Self.entries.replacing("<calls>", with: "<!DOCTYPE calls SYSTEM \"x\"><calls>")
      .replacing("+4930231250001", with: "+49&x;30231250001")
    #expect(try parseHoweverCut(entity, options(.calls)).codes == ["unknown-entity", "not-blocked"])
    #expect(try parseHoweverCut("<plist/>", options(.calls)).failure != nil)
    #expect(try parseHoweverCut("<smses count=\"0\"/>", options(.auto)).failure?.code == "unknown-xml")
  }

  @Test("cut at every byte, only whole calls are rows") func cutLogs() throws {
    for log in [Self.calls, Self.entries] {
      let bytes = Array(log.utf8)
      let rows = try parse([bytes], options(.calls)).rows
      for count in bytes.indices {
        let outcome = try parse([Array(bytes[..<count])], options(.calls))
        #expect(rows.starts(with: outcome.rows), "\(count)")
        // Only white space follows the root element.
        #expect((outcome.failure == nil) == (count == 0 || count == bytes.count - 1), "\(count)")
      }
    }
  }

  @Test("damaged at every byte, no row has another number") func damagedLogs() throws {
    for log in [Self.calls, Self.entries] {
      let bytes = Array(log.utf8)
      let rows =
        try parse([bytes], options(.calls) { $0.numberField = .name("number") }).rows
        + parse([bytes], options(.calls) { $0.numberField = .name("caller") }).rows
      for index in bytes.indices {
        for byte in Array("<>\"&/\0".utf8) + [0xFF] where bytes[index] != byte {
          var damaged = bytes
          damaged[index] = byte
          for row in try parse([damaged], options(.calls)).rows {
            // A sign in the place of a digit stays in the number's text, which is then none, or ends it.
            let isSame =
              rows.contains { $0.text == row.text } || row.text.contains(byte)
              || damaged.firstRange(of: row.text) != nil
            #expect(isSame, "\(index), \(byte): \(row)")
          }
        }
      }
    }
  }

  @Test func mutatedLogs() throws {
    for log in [Self.calls, Self.entries] {
      try fuzz(Array(log.utf8), [options(.calls), options(.auto)], turns: fuzzTurns)
    }
  }
}
