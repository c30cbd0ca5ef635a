// What an incoming call shows.

import SimulatedPhone
import Testing

private func makePhone(_ extensions: [(String, [(Int64, String?)])]) throws -> SimulatedPhone {
  let phone = try SimulatedPhone()
  for (name, entries) in extensions {
    try phone.install(
      name,
      .inProcess { request in
        for (number, label) in entries {
          if let label {
            request.addIdentification(number, label: label)
          } else {
            request.addBlocking(number)
          }
        }
        _ = request.complete()
      })
    try #require(phone.switchOn(name).isSuccess)
  }
  return phone
}

@Suite("An incoming call")
struct LookupTests {
  @Test(
    "is found as the network presents it, and in its international form",
    arguments: [
      IncomingCall(from: "+86 755 1234 5678"), IncomingCall(from: "0755-12345678"),
      IncomingCall(from: "(0755) 1234.5678"), IncomingCall(from: "8675512345678"),
      IncomingCall(from: "12345678", international: "+86 755 12345678"),
    ])
  func variants(_ call: IncomingCall) throws {
    let phone = try makePhone([("a", [(8_675_512_345_678, "房产中介")])])
    phone.setCallingCode(86)
    #expect(try phone.answer(call) == .identified(label: "房产中介", by: "a"))
  }

  @Test(
    "is unknown without digits, or with too many",
    arguments: [
      "", "unknown", "+", "99999999999999999999", "9223372036854775807", "0",
    ])
  func noNumber(_ text: String) throws {
    let phone = try makePhone([("a", [(1, nil)])])
    #expect(try phone.answer(IncomingCall(from: text)) == .unknown)
    #expect(throws: OwnerError.notANumber(text)) { try phone.block(text) }
  }

  @Test("shows the label of the first extension in Settings; any extension may block")
  func priority() throws {
    let phone = try makePhone([
      ("first", [(15_550_100, "one")]), ("second", [(15_550_100, "two"), (15_550_101, "two")]),
      ("third", [(15_550_101, nil)]),
    ])
    let call = IncomingCall(from: "+15550100")
    #expect(try phone.answer(call) == .identified(label: "one", by: "first"))
    try phone.setPriority(["second"])
    #expect(phone.extensions == ["second", "first", "third"])
    #expect(try phone.answer(call) == .identified(label: "two", by: "second"))
    #expect(try phone.answer(IncomingCall(from: "+15550101")) == .blocked(by: .extension("third")))
    #expect(throws: RegistryError.unknownIdentifier) { try phone.setPriority(["nobody"]) }
    #expect(throws: RegistryError.identifierTaken) { try phone.install("first", .inProcess { _ in }) }
  }

  @Test("from a contact is not blocked, nor, if so assumed, from a number that the owner has called")
  func spared() throws {
    let program = ExtensionProgram.inProcess { request in
      request.addBlocking(15_550_100)
      request.addBlocking(15_550_101)
      _ = request.complete()
    }
    var assumptions = PhoneAssumptions()
    assumptions.calledNumbersAreNotBlocked = true
    let phone = try SimulatedPhone(assumptions: assumptions)
    try phone.install("a", program)
    #expect(phone.switchOn("a").isSuccess)
    try phone.addContact("Ann", "555 0100")
    #expect(try phone.answer(IncomingCall(from: "+1 555 0100")) == .contact("Ann"))
    #expect(try phone.answer(IncomingCall(from: "+1 555 0101")) == .blocked(by: .extension("a")))
    try phone.noteCall(to: "+1 555 0101")
    #expect(try phone.answer(IncomingCall(from: "+1 555 0101")) == .unknown)
  }
}
