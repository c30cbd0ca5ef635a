// The short forms: records and labels as plain values. One import is all that an app needs for them.

import CallStoreReader
import Foundation
import TestSupport
import Testing

@Suite struct LabeledRecordsTests {
  private static let rows = [
    StoreRow(49_30_1234567, nil, .identification, "骚扰电话"),
    StoreRow(86_138_0000_0000, 86_138_0000_0099, .blocking, ""),
    StoreRow(86_138_0000_0200, nil, .identification, "spam"),
  ]

  private static func values(_ rows: [StoreRow]) -> [LabeledRecord] {
    rows.map {
      LabeledRecord(
        kind: $0.kind, first: $0.first, last: $0.last, label: String(decoding: $0.label, as: UTF8.self))
    }
  }

  @Test("a store's records are read by URL and by path")
  func records() throws {
    let file = try TemporaryStore(encode(Self.rows).bytes)
    var found: [LabeledRecord] = []
    for record in try CallStore(url: URL(fileURLWithPath: file.path)).records() { found.append(record) }
    #expect(found == Self.values(Self.rows))
    #expect(Array(try CallStore(path: file.path).records()) == found)
    for kind in StoreKind.allCases {
      #expect(Array(try CallStore(path: file.path).records(of: kind)) == found.filter { $0.kind == kind })
    }
  }

  @Test("records in many blocks, with more labels than are cached", arguments: [1, 300, 6_000, 0])
  func manyRecords(labels: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let wanted = randomRows(25_000, gap: 1...2_000, rangesIn1000: 40, labels: labels, using: &random)
    let file = try TemporaryStore(encode(wanted).bytes)
    let records = try CallStore(path: file.path).records()
    #expect(Array(records) == Self.values(wanted), "seed \(seed)")
    // A second pass starts at the first record again.
    #expect(records.prefix(3).map(\.first) == wanted.prefix(3).map(\.first))
  }

  @Test("labels are texts, nil for a number that the store does not contain")
  func labels() throws {
    let file = try TemporaryStore(encode(Self.rows).bytes)
    let store = try CallStore(url: URL(fileURLWithPath: file.path))
    #expect(try store.label(of: 49_30_1234567) == "骚扰电话")
    #expect(try store.label(of: 86_138_0000_0042) == "")
    #expect(try store.label(of: 86_138_0000_0100) == nil)
  }

  @Test("an empty store has no records")
  func empty() throws {
    let file = try TemporaryStore(encode([]).bytes)
    #expect(Array(try CallStore(path: file.path).records()).isEmpty)
  }

  @Test("a store that is damaged anywhere throws before the first record")
  func damaged() throws {
    var random = SplitMix64(seed: 7)
    let rows = randomRows(25_000, gap: 1...2_000, rangesIn1000: 40, labels: 12, using: &random)
    var bytes = try encode(rows).bytes
    bytes[bytes.count / 2] ^= 1
    let file = try TemporaryStore(bytes)
    let error = #expect(throws: CallStoreError.self) { _ = try CallStore(path: file.path).records() }
    guard case .damaged(.block) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("the name of a file may have any characters")
  func names() throws {
    let file = try TemporaryStore(encode(Self.rows).bytes)
    let folder = try TemporaryDirectory()
    let url = URL(fileURLWithPath: folder / "号码 100%25?.cdstore")
    try FileManager.default.copyItem(atPath: file.path, toPath: url.path)
    #expect(try CallStore(url: url).recordCounts.sum == 3)
  }

  @Test("a URL must be that of a file")
  func notAFile() throws {
    let url = try #require(URL(string: "https://example.com/numbers.cdstore"))
    #expect(throws: CallStoreError.cannotOpen(EINVAL)) { _ = try CallStore(url: url) }
    #expect(throws: CallStoreError.cannotOpen(ENOENT)) {
      _ = try CallStore(url: URL(fileURLWithPath: "/nonexistent/numbers.cdstore"))
    }
  }

  /// Several tasks look up numbers in one store. Its blocks have codes of their own, and each is verified by the task
  /// that reads it first.
  @Test("several threads use a store at a time")
  func threads() async throws {
    final class Shared: Sendable {
      let store: CallStore
      init(_ path: String) throws { store = try CallStore(path: path) }
    }
    var random = SplitMix64(seed: 11)
    let rows = randomRows(40_000, gap: 1...2_000, rangesIn1000: 0, labels: 400, using: &random)
    let file = try TemporaryStore(encode(rows).bytes)
    let shared = try Shared(file.path)
    let wrong = await withTaskGroup(of: Int.self) { group in
      for task in 0..<4 {
        group.addTask {
          stride(from: task, to: rows.count, by: 3).count { index in
            let label = try? shared.store.label(of: rows[index].first)
            return label != String(decoding: rows[index].label, as: UTF8.self)
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }
}
