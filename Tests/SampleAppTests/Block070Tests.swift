// 51 extensions built from one source, each with its own shard: a hundred million numbers blocked, except the excluded
// ones.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import Synchronization
import Testing

@testable import Block070
@testable import SampleShared

private let prefix = BlockingScene.prefix

/// An extension's process, ended between its last entry and the completion of the request.
private final class DyingHandler: CXCallDirectoryProvider {
  private let files: ExtensionFiles?
  private let die: () -> Void

  init(_ files: ExtensionFiles?, _ die: @escaping () -> Void) {
    self.files = files
    self.die = die
    super.init()
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    _ = try? files?.feed(context)
    die()
  }
}

extension SampleApps {
  @Suite("Block070")
  struct Block070Tests {
    /// A million of them: all hundred million take minutes in a debug build; scripts/check_block070.sh loads them.
    @Test("51 extensions block 070, except for numbers with 000 in them")
    func all() async throws {
      let watched: Set<Int64> = [827_012_345_678, 827_012_000_678, 827_012_300_056, 827_012_999_999]
      let scene = try BlockingScene(
        "+82 70 12XX XXXX", maxEntries: 19_700, extensions: 51, storage: .counting(watching: watched))
      #expect(try scene.answer("070-1234-5678") == .unknown)
      let steps = Mutex<[ReloadProgress]>([])
      let outcomes = try await scene.blocking.set(true) { step in steps.withLock { $0.append(step) } }
      #expect(outcomes == Array(repeating: .loaded, count: 51))
      #expect(try scene.blocked() == Self.count(in: 827_012_000_000...827_012_999_999))
      let progress = steps.withLock { $0 }
      // Before each extension, and at the end.
      #expect(progress.map(\.index) == Array(0...51) && progress.allSatisfy { $0.count == 51 })
      #expect(progress.dropLast().allSatisfy { $0.secondsLeft > 0 && $0.secondsLeft.isFinite })
      for call in ["070-1234-5678", "+82 70 1234 5678", "07012999999"] {
        guard case .blocked(by: .extension(let name)) = try scene.answer(call) else {
          Issue.record("\(call) is not blocked")
          continue
        }
        #expect(name.hasPrefix(prefix))
      }
      for call in ["070-1200-0678", "070-1230-0056", "070-1234", "010-1234-5678"] {
        #expect(try scene.answer(call) == .unknown, "\(call)")
      }
      // Switched off, no entries are left; then on again.
      #expect(try await scene.blocking.set(false) == Array(repeating: .loaded, count: 51))
      #expect(try scene.blocked() == 0 && scene.answer("070-1234-5678") == .unknown)
    }

    /// How many numbers of a range do not contain `000`, by testing each.
    static func count(in range: ClosedRange<Int64>) -> Int {
      range.count { number in
        var (rest, zeros) = (number, 0)
        while rest > 0, zeros < 3 {
          zeros = rest % 10 == 0 ? zeros + 1 : 0
          rest /= 10
        }
        return zeros < 3
      }
    }

    @Test("disabled extensions are skipped, and loaded when they are enabled")
    func disabled() async throws {
      let scene = try BlockingScene(
        "+82 70 1234 XXXX", maxEntries: 4_000, extensions: 3, storage: .database(path: nil), switchingOn: 1)
      #expect(try await scene.blocking.set(true) == [.loaded, .disabled, .disabled])
      #expect(try scene.answer("070-1234-0012") != .unknown)
      #expect(try scene.answer("070-1234-5678") == .unknown)
      #expect(scene.services.phone.switchOn(prefix + "2").isSuccess)
      #expect(try scene.answer("070-1234-5678") == .blocked(by: .extension(prefix + "2")))
      #expect(try await scene.blocking.set(true) == [.loaded, .loaded, .disabled])
      // Nothing had to be loaded twice.
      #expect(scene.services.phone.lastOutcome(prefix + "1")?.report.blockingAdded == 0)
    }

    @Test("an extension that is ended in the middle is retried, and starts from scratch")
    func interrupted() async throws {
      let scene = try BlockingScene(
        "+82 70 1234 XXXX", maxEntries: 20_000, extensions: 1, storage: .database(path: nil))
      let (own, group, phone) = (scene.extensions[0], scene.group, scene.services.phone)
      let kills = Mutex(1)
      try phone.update(
        own.identifier,
        .handler {
          let kill = kills.withLock { left in
            defer { left -= 1 }
            return left > 0
          }
          return kill
            ? DyingHandler(own.files(recordsIn: group)) { phone.kill(own.identifier) }
            : CallDirectoryHandler(own, group: group)
        })
      try scene.blocking.flag.set(true)
      let items = [ReloadItem(own.identifier, own.files(recordsIn: group))]
      var times = ReloadTimes()
      times.retryPause = .milliseconds(1)
      let outcomes = await ReloadRun(items, times: times).run()
      #expect(outcomes == [.loaded])
      #expect(kills.withLock { $0 } < 0)
      #expect(try scene.answer("070-1234-5678") == .blocked(by: .extension(own.identifier)))
      kills.withLock { $0 = 100 }
      let failed = ReloadOutcome.failed(domain: CXErrorDomainCallDirectoryManager, code: 2)
      #expect(await ReloadRun(items, times: times).run() == [failed])
      #expect(try scene.blocked() == 0)
      kills.withLock { $0 = 0 }
      #expect(await ReloadRun(items).run() == [.loaded])
      #expect(try scene.blocked() > 0)
    }

    @Test("errors that Apple's enum lacks, missing extensions, and a cancelled run")
    func odd() async throws {
      let scene = try BlockingScene(
        "+82 70 1234 XXXX", maxEntries: 20_000, extensions: 1, storage: .database(path: nil))
      let phone = scene.services.phone
      #expect(
        await ReloadRun([ReloadItem("nobody", nil)]).run()
          == [.failed(domain: CXErrorDomainCallDirectoryManager, code: 1)])
      try phone.makeUnavailable(prefix + "1")
      #expect(
        await ReloadRun([ReloadItem(prefix + "1", nil)]).run()
          == [.failed(domain: CXErrorDomainCallDirectoryManager, code: 102)])
      let cancelled = Task {
        while !Task.isCancelled { await Task.yield() }
        return await ReloadRun([ReloadItem(prefix + "1", nil), ReloadItem(prefix + "1", nil)]).run()
      }
      cancelled.cancel()
      #expect(await cancelled.value == [.cancelled, .cancelled])
    }

    @Test(
      "an extension finds its number in its identifier",
      arguments: [
        ("com.example.block070.directory7", 7), ("com.example.block070.directory51", 51), ("a.b07", 7),
        ("com.example.block070", 70), ("com.example.directory", nil), ("com.example.7", nil), ("", nil),
        ("com.example.x0", 0), ("com.example.x99999999999999999999", nil), ("7.x", nil),
      ] as [(String, Int?)])
    func index(identifier: String, number: Int?) {
      #expect(ExtensionIndex(identifier)?.number == number)
    }

    @Test("shards are identified by their ids, and there may be fewer than extensions")
    func shards() async throws {
      let scene = try BlockingScene(
        "+82 70 1234 XXXX", maxEntries: 20_000, extensions: 2, storage: .database(path: nil))
      #expect(scene.extensions.map { $0.index.shard } == ["0001", "0002"])
      #expect(scene.extensions[0].files(recordsIn: scene.group) != nil)
      #expect(scene.extensions[1].files(recordsIn: scene.group) == nil)
      #expect(try await scene.blocking.set(true) == [.loaded, .loaded])
      #expect(try scene.services.phone.entryCounts(prefix + "2") == EntryCounts())
    }
  }

  @Suite("Remaining time")
  struct RemainingTimeTests {
    @Test("uses the assumed rate first, then the measured one")
    func rate() {
      var time = RemainingTime(entries: 1_300_000)
      #expect(time.secondsLeft == 10)
      time.pass(300_000, in: 1)
      #expect(abs(time.secondsLeft - 1_000_000 / 300_000) < 1e-9)
      // Extensions that were skipped do not affect the rate.
      time.pass(700_000, in: nil)
      #expect(abs(time.secondsLeft - 1) < 1e-9)
      time.pass(10_000_000, in: 0)
      #expect(time.secondsLeft == 0)
    }

    @Test("the progress goes on while an extension is being loaded, and does not reach its end")
    func fraction() {
      let progress = ReloadProgress(
        identifiers: ["1", "2"], outcomes: [.loaded], secondsLeft: 10, secondsOfCurrent: 10)
      let seconds = [0.0, 1, 5, 10, 11, 60, 600]
      let fractions = seconds.map(progress.fraction)
      #expect(fractions.prefix(4).elementsEqual([0.5, 0.545, 0.725, 0.95]) { abs($0 - $1) < 1e-9 })
      #expect(zip(fractions, fractions.dropFirst()).allSatisfy { $0 < $1 } && (fractions.last ?? 1) < 1)
      // An extension without numbers, and the end.
      let empty = ReloadProgress(identifiers: ["1"], outcomes: [], secondsLeft: 0, secondsOfCurrent: 0)
      let end = ReloadProgress(identifiers: ["1"], outcomes: [.loaded], secondsLeft: 0, secondsOfCurrent: 0)
      #expect(empty.fraction(after: 5) == 0 && end.fraction(after: 5) == 1)
    }
  }
}
