// Incoming calls and what the phone shows, the owner's contacts and block list. Numbers are looked up as observed in
// iOS builds.

import Synchronization

/// An incoming call, as the network presents it.
public struct IncomingCall: Sendable, Equatable {
  /// The number as the network sends it, in any notation.
  public var presented: String
  /// The number in international form, if the phone could determine it.
  public var international: String?

  /// Creates a call.
  public init(from presented: String, international: String? = nil) {
    self.presented = presented
    self.international = international
  }
}

/// The blocker of a call.
public enum Blocker: Sendable, Equatable {
  /// The owner's block list.
  case owner
  /// An extension, by its identifier.
  case `extension`(String)
}

/// The phone's reaction to a call.
public enum CallAnswer: Sendable, Equatable {
  /// The phone rings and shows the contact's name. Extensions are not asked.
  case contact(String)
  /// The phone does not ring.
  case blocked(by: Blocker)
  /// The phone rings and shows the label of an extension.
  case identified(label: String, by: String)
  /// The phone rings and shows the number.
  case unknown
}

struct NumberVariants: Equatable {
  var presented: Int64
  var international: Int64

  /// The maximum number that is looked up, `CXCallDirectoryPhoneNumberMax`.
  static let numberMax = Int64.max - 1

  /// Determines the variants of a call on a phone with a calling code; nil if there are no digits or too many.
  init?(_ call: IncomingCall, callingCode: Int64) {
    let spelled = Self.number(in: call.presented)
    let international: Int64?
    if let given = call.international {
      international = Self.number(in: given)
    } else if call.presented.drop(while: { $0.isWhitespace }).hasPrefix("+") {
      international = spelled
    } else {
      // Parsing drops leading zeros, so the calling code directly precedes the rest.
      international = spelled.flatMap { Self.number(in: "\(callingCode)\($0)") }
    }
    guard let first = spelled ?? international else { return nil }
    presented = first
    self.international = international ?? first
  }

  /// Parses the digits of a text as a number; nil if there are none or too many.
  private static func number(in text: String) -> Int64? {
    var result: Int64 = 0
    var hasDigits = false
    for byte in text.utf8 where (0x30...0x39).contains(byte) {
      hasDigits = true
      let (tens, isTooLong) = result.multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) = tens.addingReportingOverflow(Int64(byte - 0x30))
      if isTooLong || isTooLarge { return nil }
      result = sum
    }
    return hasDigits && result > 0 && result <= numberMax ? result : nil
  }
}

/// An invalid number of the owner.
public enum OwnerError: Error, Equatable, Sendable {
  /// The text has no digits, or too many.
  case notANumber(String)
}

extension SimulatedPhone {
  /// Sets the calling code of the phone's country, which completes national numbers. The default is 1.
  public func setCallingCode(_ code: Int) { state.withLock { $0.owner.callingCode = Int64(max(code, 0)) } }

  /// Adds a contact.
  public func addContact(_ name: String, _ number: String) throws(OwnerError) {
    try state.withLock { (state) throws(OwnerError) in
      state.owner.contacts.append((name, try state.owner.international(number)))
    }
  }

  /// Adds a number to the owner's block list.
  public func block(_ number: String) throws(OwnerError) {
    try state.withLock { (state) throws(OwnerError) in
      _ = state.owner.blocked.insert(try state.owner.international(number))
    }
  }

  /// Records that the owner called a number.
  public func noteCall(to number: String) throws(OwnerError) {
    try state.withLock { (state) throws(OwnerError) in
      _ = state.owner.called.insert(try state.owner.international(number))
    }
  }

  /// Returns the contact with a number, if any.
  public func contact(_ number: String) -> String? {
    state.withLock { state in
      guard let variants = NumberVariants(IncomingCall(from: number), callingCode: state.owner.callingCode)
      else { return nil }
      return state.owner.contact(variants)
    }
  }

  /// Whether a number is on the owner's block list.
  public func isBlockedByOwner(_ number: String) -> Bool {
    state.withLock { state in
      guard let variants = NumberVariants(IncomingCall(from: number), callingCode: state.owner.callingCode)
      else { return false }
      return state.owner.blocks(variants)
    }
  }

  /// Returns the phone's reaction to a call. Checks the owner's block list first, then the contacts, the numbers that
  /// extensions block, and their labels, by priority. Throws if the directory's database fails.
  public func answer(_ call: IncomingCall) throws(LoadError) -> CallAnswer {
    try state.withLock { (state) throws(LoadError) in
      guard let numbers = NumberVariants(call, callingCode: state.owner.callingCode) else { return .unknown }
      if state.owner.blocks(numbers) { return .blocked(by: .owner) }
      if let name = state.owner.contact(numbers) { return .contact(name) }
      let isSpared =
        assumptions.calledNumbersAreNotBlocked
        && (state.owner.called.contains(numbers.presented)
          || state.owner.called.contains(numbers.international))
      if !isSpared, let row = try state.store.blocker(of: numbers.presented, or: numbers.international) {
        return .blocked(by: .extension(state.identifier(row)))
      }
      if let found = try state.store.label(of: numbers.presented, or: numbers.international) {
        return .identified(label: found.label, by: state.identifier(found.row))
      }
      return .unknown
    }
  }
}

extension SimulatedPhone.Owner {
  fileprivate func international(_ text: String) throws(OwnerError) -> Int64 {
    guard let variants = NumberVariants(IncomingCall(from: text), callingCode: callingCode) else {
      throw .notANumber(text)
    }
    return variants.international
  }

  fileprivate func contact(_ numbers: NumberVariants) -> String? {
    contacts.first { $0.number == numbers.presented || $0.number == numbers.international }?.name
  }

  fileprivate func blocks(_ numbers: NumberVariants) -> Bool {
    blocked.contains(numbers.presented) || blocked.contains(numbers.international)
  }
}

extension SimulatedPhone.PhoneState {
  fileprivate func identifier(_ row: Int64) -> String {
    registrations.first { $0.value.row == row }?.key ?? ""
  }
}
