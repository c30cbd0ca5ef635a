// Area codes: which are refused and which are blocked, and that a change loads only the difference.

import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

@testable import CodeBlocker

private let name = "com.example.codeblocker.directory1"

/// A phone with the app.
private final class Scene {
  let services: FrameworkServices
  let blocker: BlockedCodes
  let workplace: Workplace
  var phone: SimulatedPhone { services.phone }

  init(_ storage: SimulatedPhone.Storage = .database(path: nil), isOn: Bool = true) throws {
    workplace = try Workplace()
    services = FrameworkServices(try SimulatedPhone(storage))
    services.install()
    let shared = SharedCodes(workplace.folder)
    blocker = BlockedCodes(shared: shared, identifier: name)
    try services.phone.install(name, .handler { CallDirectoryHandler(shared) })
    guard isOn else { return }
    #expect(services.phone.switchOn(name).isSuccess)
    // Until the extension has recorded that its empty list was loaded.
    let deadline = ContinuousClock.now + .seconds(60)
    while shared.loaded == nil, .now < deadline { Thread.sleep(forTimeInterval: 0.002) }
  }

  deinit { FrameworkServices.uninstall() }

  /// Adds a code, and waits until the extension, too, has learned the result of its request: iOS notifies it and the
  /// app in either order.
  func add(_ text: String) async throws -> CodeChange { try await settled(try await blocker.add(text)) }

  func remove(_ code: AreaCode) async throws -> CodeChange {
    try await settled(try await blocker.remove(code))
  }

  private func settled(_ change: CodeChange) async throws -> CodeChange {
    let deadline = ContinuousClock.now + .seconds(60)
    while change == .loaded, blocker.shared.loaded != blocker.shared.wanted {
      try #require(.now < deadline, "the extension never learnt that its list was loaded")
      try await Task.sleep(for: .milliseconds(2))
    }
    return change
  }

  func isBlocked(_ number: String) throws -> Bool {
    try phone.answer(IncomingCall(from: number)) == .blocked(by: .extension(name))
  }
}

/// The extension's process, ended in the middle of its request.
private final class DyingHandler: CXCallDirectoryProvider {
  private let shared: SharedCodes
  private let die: () -> Void

  init(_ shared: SharedCodes, _ die: @escaping () -> Void) {
    self.shared = shared
    self.die = die
    super.init()
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    _ = try? shared.beginLoading(shared.wanted)
    context.addBlockingEntry(withNextSequentialPhoneNumber: 12_125_550_100)
    die()
  }
}

extension SampleApps {
  @Suite("CodeBlocker")
  struct CodeBlockerTests {
    @Test(
      "an invalid code is rejected",
      arguments: [
        ("", AreaCodeError.notACode), ("162", .notACode), ("0162", .notACode), ("+", .notACode),
        ("+33 x", .notACode), ("++33", .notACode), ("+0", .notACode), ("+1234567890123456", .notACode),
        ("+999", .unknownCountry), ("+33 00", .unknownCode), ("+1 111", .unknownCode),
      ])
    func refused(text: String, failure: AreaCodeError) {
      #expect(throws: failure) { try AreaCode(text) }
    }

    @Test(
      "a code may be written in different ways",
      arguments: ["+33 162", "0033162", "+33(0)162".replacingOccurrences(of: "(0)", with: ""), "+33-1.62"])
    func spelled(text: String) throws {
      #expect(try AreaCode(text).digits == 33162)
    }

    @Test(
      "codes have the numbers that `cdpipe generate` generates",
      arguments: ["33162", "1212555", "827012", "861381", "49301", "44121", "390612"])
    func ranges(digits: String) throws {
      let code = try AreaCode("+" + digits)
      let text = try Workplace().cdpipe("generate", "+" + digits)
      let generated = text.split(separator: "\n").map { line in
        let ends = line.prefix { $0 != "\t" }.split(separator: ".")
        return [ends.first, ends.last].map { $0.map(String.init) ?? "" }
      }
      #expect(!generated.isEmpty)
      #expect(code.ranges.map { [String($0.lowerBound), String($0.upperBound)] } == generated)
    }

    @Test("a code blocks its numbers, and no others")
    func blocks() async throws {
      let scene = try Scene()
      #expect(try await scene.add("+1 212-555") == .loaded)
      #expect(try scene.isBlocked("+1 212 555 0100") && scene.isBlocked("(212) 555-9999"))
      #expect(try !scene.isBlocked("+1 212 556 0100") && !scene.isBlocked("+1 213 555 0100"))
      #expect(scene.blocker.numbersLeft == 1_999_999 - 10_000)
      #expect(try scene.phone.entryCounts(name) == EntryCounts(blocking: 10_000))
    }

    @Test("a code that is covered, and a code that does not fit, are refused and change nothing")
    func limit() async throws {
      let scene = try Scene(.counting(watching: []))
      _ = try await scene.add("+33 162")
      let whole = try AreaCode("+33 162")
      await #expect(throws: AreaCodeError.covered(by: whole)) {
        _ = try await scene.add("+33 162 34")
      }
      await #expect(throws: AreaCodeError.covered(by: whole)) { _ = try await scene.add("+33 162") }
      await #expect(throws: AreaCodeError.tooMany(count: 1_000_000, left: 999_999)) {
        _ = try await scene.add("+33 163")
      }
      await #expect(throws: AreaCodeError.self) { _ = try await scene.add("+1") }
      #expect(scene.blocker.codes == [whole])
      #expect(try scene.phone.entryCounts(name) == EntryCounts(blocking: 1_000_000))
    }

    @Test("a change is loaded incrementally")
    func incremental() async throws {
      let scene = try Scene()
      _ = try await scene.add("+1 212 555 0")
      #expect(scene.phone.lastOutcome(name)?.report.isIncremental == true)
      _ = try await scene.add("+1 213 555 0")
      var report = try #require(scene.phone.lastOutcome(name)?.report)
      #expect(report.isIncremental && report.blockingAdded == 1_000 && report.removalsAsked == 0)
      #expect(try await scene.remove(try AreaCode("+1 212 555 0")) == .loaded)
      report = try #require(scene.phone.lastOutcome(name)?.report)
      #expect(report.isIncremental && report.blockingAdded == 0 && report.removalsAsked == 1_000)
      // A shorter code replaces a longer one: the numbers of both are removed and added.
      _ = try await scene.add("+1 213 555")
      #expect(scene.blocker.codes == [try AreaCode("+1 213 555")])
      #expect(try scene.phone.entryCounts(name) == EntryCounts(blocking: 10_000))
      #expect(try !scene.isBlocked("+1 212 555 0100") && scene.isBlocked("+1 213 555 0100"))
    }

    @Test("after a failed load everything is loaded again")
    func failed() async throws {
      let scene = try Scene()
      _ = try await scene.add("+1 212 555 0")
      let (phone, shared) = (scene.phone, scene.blocker.shared)
      try phone.update(
        name,
        .handler {
          DyingHandler(shared) { phone.kill(name) }
        })
      #expect(
        try await scene.add("+1 213 555 0")
          == .failed(domain: CXErrorDomainCallDirectoryManager, code: 2))
      #expect(try phone.entryCounts(name) == EntryCounts())
      try phone.update(name, .handler { CallDirectoryHandler(shared) })
      _ = try await scene.add("+1 214 555 0")
      #expect(try phone.entryCounts(name) == EntryCounts(blocking: 3_000))
      #expect(phone.lastOutcome(name)?.report.isIncremental == false)
    }

    @Test("a late result of a load is not attributed to the next load")
    func late() throws {
      let workplace = try Workplace()
      let shared = SharedCodes(workplace.folder)
      var (one, two) = (CodeList(), CodeList())
      try one.add(try AreaCode("+33 162"))
      try two.add(try AreaCode("+1 212 555"))
      #expect(shared.loaded == nil)
      let first = try shared.beginLoading(one)
      #expect(shared.loaded == nil)
      shared.endLoading(first)
      #expect(shared.loaded == one)
      let second = try shared.beginLoading(two)
      shared.endLoading(first)
      #expect(shared.loaded == nil)
      shared.endLoading(second)
      #expect(shared.loaded == two)
      shared.endLoading(first)
      #expect(shared.loaded == nil)
      withExtendedLifetime(workplace) {}
    }

    @Test("a disabled extension keeps the list for later; damaged files are empty lists")
    func off() async throws {
      let scene = try Scene(isOn: false)
      #expect(try await scene.add("+1 212 555 0") == .switchedOff)
      #expect(scene.phone.switchOn(name).isSuccess)
      #expect(try scene.isBlocked("+1 212 555 0100"))
      for broken in ["", "{", "[1]", #"["162"]"#, #"["+33162","+33162"]"#, #"["+1"]"#] {
        try scene.workplace.write("codes.json", broken)
        #expect(scene.blocker.codes.isEmpty, "\(broken)")
      }
      try scene.workplace.write("load.json", "{")
      _ = try await scene.add("+1 214 555 0")
      #expect(try scene.phone.entryCounts(name) == EntryCounts(blocking: 1_000))
    }

    @Test("after any additions and removals, the phone has the numbers of the list")
    func churn() async throws {
      let scene = try Scene()
      let seed = UInt64.random(in: 1...UInt64.max)
      var state = seed
      func random(_ limit: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % limit
      }
      for step in 0..<40 {
        let codes = scene.blocker.codes
        if random(3) == 0, !codes.isEmpty {
          _ = try await scene.remove(codes[Int(random(UInt64(codes.count)))])
        } else {
          let tail = (0..<random(4)).map { _ in String(random(3)) }.joined()
          _ = try? await scene.add("+1 212 555 1" + tail)
        }
        let list = scene.blocker.shared.wanted
        let counts = try scene.phone.entryCounts(name)
        #expect(counts == EntryCounts(blocking: Int(list.count)), "seed \(seed), step \(step)")
        let number = 1_212_555_1000 + random(1_000)
        let isListed = CodeList.ranges(of: list.codes).contains { $0.contains(number) }
        #expect(try scene.isBlocked("+\(number)") == isListed, "seed \(seed), step \(step)")
      }
    }
  }
}
