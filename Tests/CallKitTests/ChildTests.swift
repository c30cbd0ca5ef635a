// Extensions in separate processes: what they load, how they end, and which entries remain.

import Foundation
import FrameworkServices
import SimulatedPhone
import Testing

private let name = "com.example.app.directory"

/// The program that is built together with the tests.
private func child(_ arguments: String..., limit: Int? = nil, killAfter: Int? = nil) -> ExtensionProgram {
  let tests = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  return .child(
    ChildProgram(
      path: tests.appendingPathComponent("extension-program").path, arguments: arguments,
      environment: ["SWIFT_BACKTRACE": "enable=no"], privateBytesMax: limit, killAfterEntries: killAfter))
}

private func temporaryFile() -> String {
  FileManager.default.temporaryDirectory.appendingPathComponent("cdpipe-\(UUID())").path
}

@Suite("An extension in its own process", .serialized)
struct ChildTests {
  @Test("loads, and its memory is measured")
  func loads() throws {
    let phone = try SimulatedPhone()
    try phone.install(name, child("load", "25000"))
    let outcome = phone.switchOn(name)
    #expect(outcome.failure == nil && outcome.interruption == nil)
    #expect(outcome.report.batches == 3 && outcome.report.identificationAdded == 25_000)
    let held = try #require(outcome.report.privateBytesMax)
    #expect(held > 100_000 && held < 100_000_000)
    #expect(
      try phone.answer(IncomingCall(from: "+8613800000199"))
        == .identified(label: "label 99", by: name))
  }

  @Test("killed in the middle of a load, leaves no entries, and the next load recovers")
  func killed() throws {
    let phone = try SimulatedPhone()
    try phone.install(name, child("load", "50000"))
    #expect(phone.switchOn(name).isSuccess)
    try phone.update(name, child("load", "50000", killAfter: 20_000))
    let outcome = phone.load(name)
    #expect(outcome.failure == .directory(.loadingInterrupted))
    #expect(outcome.interruption == .killed)
    #expect(outcome.report.identificationAdded == 20_000)
    #expect(try phone.entryCounts(name) == EntryCounts())
    #expect(phone.extensionState(name) == .loaded)
    try phone.update(name, child("load", "30000"))
    #expect(phone.load(name).isSuccess)
    #expect(try phone.entryCounts(name) == EntryCounts(identification: 30_000))
  }

  @Test("is killed if it exceeds its memory limit")
  func memory() throws {
    let phone = try SimulatedPhone()
    let limit = 40 << 20
    try phone.install(name, child("hoard", "200", limit: limit))
    let outcome = phone.switchOn(name)
    #expect(outcome.failure == .directory(.loadingInterrupted))
    guard case .memory(let held, limit) = outcome.interruption else {
      Issue.record("\(outcome)")
      return
    }
    #expect(held > limit)
    #expect(phone.extensionState(name) == .disabled)
  }

  @Test("crashes if it removes entries in a first load")
  func misuse() throws {
    let phone = try SimulatedPhone()
    try phone.install(name, child("remove"))
    let outcome = phone.switchOn(name)
    #expect(outcome.failure == .directory(.loadingInterrupted))
    #expect(outcome.interruption == .exception(.removalOutsideIncremental))
  }

  @Test("is notified of its failure before it ends")
  func notified() throws {
    let file = temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let phone = try SimulatedPhone()
    try phone.install(name, child("disorder", file))
    #expect(phone.switchOn(name).failure == .directory(.entriesOutOfOrder))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "failed 3")
  }

  @Test("has its completion handler run before it ends")
  func late() throws {
    let file = temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let phone = try SimulatedPhone()
    try phone.install(name, child("late", file))
    #expect(phone.switchOn(name).isSuccess)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "expired false")
  }

  @Test("cancels with an error of its own, or exits, or is not an extension")
  func ends() throws {
    let phone = try SimulatedPhone()
    try phone.install(name, child("cancel"))
    let own = Cancellation(domain: "CallDirectoryHandler", code: 1)
    #expect(phone.switchOn(name).failure == .cancelled(own))
    try phone.update(name, child("exit", "3"))
    #expect(phone.switchOn(name).interruption == .exit(3))
    try phone.update(name, .child(ChildProgram(path: "/nowhere/program")))
    #expect(phone.switchOn(name).interruption == .notStarted(2))
    try phone.update(name, .child(ChildProgram(path: "/bin/sh", arguments: ["-c", "echo '{\"a\": 1}' >&3"])))
    #expect(phone.switchOn(name).interruption == .nonsense)
    try phone.update(name, .child(ChildProgram(path: "/bin/sh", arguments: ["-c", "kill -SEGV $$"])))
    #expect(phone.switchOn(name).interruption == .signal(11))
  }
}
