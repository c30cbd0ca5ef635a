// Progress lines: what they show, and that they fit any window.

import Records
import Testing

@testable import Runner
@testable import SystemIO

@Suite("Progress lines")
struct ProgressLayoutTests {
  private static func stage(
    _ name: String, source: String = "", _ change: (inout StageProgress) -> Void = { _ in }
  ) -> StageProgress {
    var stage = StageProgress(StageName(rawValue: name))
    stage.source = source
    change(&stage)
    return stage
  }

  /// Parsing a file while a sort reads.
  private static let reading = RunSnapshot(
    stages: [
      stage("parse", source: "cn") { stage in
        stage.bytes = 214 << 20
        stage.bytesExpected = 334 << 20
        stage.bytesPerSecond = 9e7
        stage.rows = 6_120_000
        stage.rowsPerSecond = 2.1e6
        stage.share = 0.6407
        stage.secondsLeft = 1.4
      },
      stage("sort") { stage in
        stage.rows = 6_120_000
        stage.rowsPerSecond = 2.1e6
        stage.bytesSpilled = 3 << 30
      },
    ], sourcesWaiting: 583)

  /// A sort that merges while the stages after it read.
  private static let merging = RunSnapshot(
    stages: [
      stage("sort") { stage in
        stage.phase = .merging
        stage.rows = 3_800_000
        stage.rowsExpected = 10_000_000
        stage.rowsPerSecond = 9.2e6
        stage.share = 0.38
        stage.secondsLeft = 4000
      },
      stage("dedupe") { stage in
        stage.rows = 3_799_000
        stage.rowsExpected = 10_000_000
        stage.rowsPerSecond = 9.2e6
        stage.share = 0.3799
        stage.secondsLeft = 4000
      },
      stage("emit") { stage in
        stage.phase = .completing
        stage.rows = 12
      },
    ], sourcesWaiting: 0)

  @Test("a wide window shows everything, in columns")
  func wide() {
    let lines = ProgressLayout.lines(Self.reading, in: TerminalSize(columns: 200, rows: 50))
    #expect(
      lines == [
        "cn: parse     64 %   214 MiB of 334 MiB   6,120,000 rows   2.1 M rows/s   0:00:01 left",
        "sort                 6,120,000 rows   2.1 M rows/s   3 GiB spilled",
        "… 583 more sources",
      ])
    #expect(
      ProgressLayout.lines(Self.merging, in: TerminalSize(columns: 100, rows: 50)) == [
        "sort, merging     38 %   3,800,000 of 10,000,000 rows   9.2 M rows/s   1:06:40 left",
        "dedupe            37 %   3,799,000 rows   9.2 M rows/s   1:06:40 left",
        "emit, completing         12 rows",
      ])
  }

  @Test("a narrower window leaves out what matters least: per cent and time left stay longest")
  func narrow() {
    #expect(
      ProgressLayout.lines(Self.reading, in: TerminalSize(columns: 80, rows: 24)) == [
        "cn: parse     64 %   214 MiB   6,120,000 rows   2.1 M rows/s   0:00:01 left",
        "sort                 6,120,000 rows   2.1 M rows/s   3 GiB spilled",
        "… 583 more sources",
      ])
    #expect(
      ProgressLayout.lines(Self.reading, in: TerminalSize(columns: 40, rows: 24)) == [
        "cn: parse  64 %  2.1 M/s  0:01 left",
        "sort             2.1 M/s",
        "… 583 more sources",
      ])
    #expect(
      ProgressLayout.lines(Self.merging, in: TerminalSize(columns: 40, rows: 24)).first
        == "sort, merging  38 %  1:06:40 left")
    #expect(
      ProgressLayout.lines(Self.reading, in: TerminalSize(columns: 20, rows: 24))[0] == "cn: parse  64 %")
  }

  @Test("every window: no line is as wide as it, and the lines are fewer than it has")
  func fits() {
    let many = RunSnapshot(
      stages: (0..<40).map { number in
        Self.stage("parse", source: "名單 \(number)\u{1B}[2J") { stage in
          stage.rows = 1 << 40
          stage.rowsPerSecond = 3e9
        }
      } + Self.merging.stages, sourcesWaiting: 543)
    for snapshot in [Self.reading, Self.merging, many] {
      for columns in 2...120 {
        for rows in 2...45 {
          let lines = ProgressLayout.lines(snapshot, in: TerminalSize(columns: columns, rows: rows))
          #expect(!lines.isEmpty && lines.count < rows)
          #expect(lines.allSatisfy { $0.displayWidth < columns }, "\(columns): \(lines)")
          #expect(lines.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
        }
      }
    }
  }

  @Test("lines that don't fit are counted as sources; the last stages stay")
  func summary() {
    let many = RunSnapshot(
      stages: (1...40).map { Self.stage("parse", source: "list \($0)") { $0.rows = 5 } }
        + Self.merging.stages,
      sourcesWaiting: 543)
    let lines = ProgressLayout.lines(many, in: TerminalSize(columns: 80, rows: 6))
    #expect(lines.count == 5)
    #expect(lines[0].hasPrefix("list 40: parse"))
    #expect(lines[3].hasPrefix("emit"))
    #expect(lines[4] == "… 582 more sources")
  }

  @Test("names are aligned by display width; a long source is cut, not the stage")
  func wideNames() {
    let snapshot = RunSnapshot(
      stages: ["중고나라 사기 신고 번호 목록 전체", "cn"].map { source in
        Self.stage("parse", source: source) { $0.rows = 7 }
      }, sourcesWaiting: 0)
    let lines = ProgressLayout.lines(snapshot, in: TerminalSize(columns: 61, rows: 9))
    #expect(lines == ["중고나라 사…: parse  7 rows", "cn: parse            7 rows"])
  }

  @Test("without a window, the lines are whole")
  func plain() {
    #expect(
      ProgressLayout.plainLines(Self.reading) == [
        "cn: parse     64 %   214 MiB of 334 MiB   6,120,000 rows   2.1 M rows/s   0:00:01 left",
        "sort         6,120,000 rows   2.1 M rows/s   3 GiB spilled",
      ])
    let long = Self.stage("normalize", source: "a source with a long name") { $0.rows = 1 }
    #expect(
      ProgressLayout.plainLines(RunSnapshot(stages: [long], sourcesWaiting: 0)) == [
        "a source with a long name: normalize 1 row"
      ])
  }

  @Test("nothing runs, nothing is shown")
  func nothing() {
    let none = RunSnapshot(stages: [], sourcesWaiting: 3)
    #expect(ProgressLayout.lines(none, in: TerminalSize(columns: 80, rows: 24)).isEmpty)
    #expect(ProgressLayout.plainLines(none).isEmpty)
  }
}
