// An extension's states: the loads that they allow, and the owner's actions.

import SimulatedPhone
import Testing

private let name = "com.example.app.directory"

private let oneNumber = ExtensionProgram.inProcess { request in
  request.addBlocking(15_550_100)
  _ = request.complete()
}

@Suite("States of an extension")
struct StateTests {
  @Test("a load is refused with the error code of the extension's state")
  func refusals() throws {
    let phone = try SimulatedPhone()
    #expect(phone.load("nobody").failure == .directory(.noExtensionFound))
    #expect(phone.enabledStatus("nobody") == nil)
    try phone.install(name, oneNumber)
    #expect(phone.load(name).failure == .directory(.extensionDisabled))
    #expect(phone.enabledStatus(name) == .disabled)
    #expect(phone.switchOn(name).isSuccess)
    #expect(phone.load(name).isSuccess)
    #expect(phone.enabledStatus(name) == .enabled)
    try phone.makeUnavailable(name)
    let failure = try #require(phone.load(name).failure)
    #expect(failure.code == 102)
    #expect(failure.domain == "com.apple.CallKit.error.calldirectorymanager")
    #expect(phone.enabledStatus(name) == .unknown)
  }

  @Test("a second load fails with currentlyLoading, and the first one continues")
  func twice() throws {
    let phone = try SimulatedPhone()
    let (begun, goOn) = (OneAnswer<Bool>(), OneAnswer<Bool>())
    try phone.install(name, oneNumber)
    #expect(phone.switchOn(name).isSuccess)
    try phone.update(
      name,
      .inProcess { request in
        request.addBlocking(15_550_101)
        begun.give(true)
        _ = goOn.wait()
        _ = request.complete()
      })
    let first = OneAnswer<LoadOutcome>()
    phone.startLoad(name) { first.give($0) }
    _ = begun.wait()
    #expect(phone.extensionState(name) == .loading)
    #expect(phone.enabledStatus(name) == .enabled)
    #expect(phone.load(name).failure == .directory(.currentlyLoading))
    #expect(throws: RegistryError.loading) { try phone.switchOff(name) }
    #expect(throws: RegistryError.loading) { try phone.uninstall(name) }
    goOn.give(true)
    #expect(first.wait().isSuccess)
    #expect(try phone.answer(IncomingCall(from: "15550101")) == .blocked(by: .extension(name)))
  }

  @Test("a disabled extension has no effect; when it is enabled again, the load is a full one")
  func switches() throws {
    let phone = try SimulatedPhone()
    try phone.install(name, oneNumber)
    #expect(phone.switchOn(name).isSuccess)
    let call = IncomingCall(from: "+1 555 0100")
    #expect(try phone.answer(call) == .blocked(by: .extension(name)))
    try phone.switchOff(name)
    #expect(try phone.answer(call) == .unknown)
    try phone.update(
      name,
      .inProcess { request in
        #expect(!request.isIncremental)
        _ = request.complete()
      })
    #expect(phone.switchOn(name).isSuccess)
    #expect(try phone.answer(call) == .unknown)
    try phone.uninstall(name)
    #expect(phone.extensions == [])
    #expect(throws: RegistryError.unknownIdentifier) { try phone.entryCounts(name) }
  }

  @Test("after a kill in the middle of a load no entries stay, and the next load recovers")
  func killing() throws {
    let phone = try SimulatedPhone()
    try phone.install(name, oneNumber)
    #expect(phone.switchOn(name).isSuccess)
    let (begun, goOn) = (OneAnswer<Bool>(), OneAnswer<Bool>())
    try phone.update(
      name,
      .inProcess { request in
        for number in Int64(1)...20_000 { request.addBlocking(number) }
        begun.give(true)
        _ = goOn.wait()
        for number in Int64(20_001)...40_000 { request.addBlocking(number) }
        #expect(request.complete())
      })
    let end = OneAnswer<LoadOutcome>()
    phone.startLoad(name) { end.give($0) }
    _ = begun.wait()
    #expect(phone.kill(name))
    let outcome = end.wait()
    goOn.give(true)
    #expect(outcome.failure == .directory(.loadingInterrupted))
    #expect(outcome.interruption == .killed)
    #expect(try phone.entryCounts(name) == EntryCounts())
    #expect(!phone.kill(name))
    try phone.update(name, oneNumber)
    #expect(phone.load(name).isSuccess)
    #expect(try phone.entryCounts(name) == EntryCounts(blocking: 1))
  }

  @Test("a request that is never completed expires")
  func dropped() throws {
    let phone = try SimulatedPhone()
    try phone.install(name, .inProcess { $0.addBlocking(1) })
    let outcome = phone.switchOn(name)
    #expect(outcome.failure == .directory(.loadingInterrupted))
    #expect(outcome.interruption == .timeLimit)
  }

  @Test("the assumptions can be changed")
  func assumptions() throws {
    var assumptions = PhoneAssumptions()
    assumptions.failureRemovesEntries = false
    assumptions.failureKeepsEnabled = false
    assumptions.labelsPerNumber = .one
    let phone = try SimulatedPhone(assumptions: assumptions)
    try phone.install(
      name,
      .inProcess { request in
        _ = request.isIncremental
        request.addIdentification(15_550_100, label: request.isIncremental ? "two" : "one")
        _ = request.complete()
      })
    #expect(phone.switchOn(name).isSuccess)
    #expect(phone.load(name).failure == .database(19))
    #expect(phone.extensionState(name) == .disabled)
    #expect(try phone.entryCounts(name) == EntryCounts(identification: 1))
  }
}
