// The owner's contacts and lists, and what a call shows.

import Synchronization

/// A number of the owner's that is none.
public enum OwnerError: Error, Equatable, Sendable {
  /// There are no digits in it, or too many.
  case notANumber(String)
}

extension SimulatedPhone {
  /// Sets the calling code of the country the phone is in, which national numbers are completed with. 1 to begin
  /// with.
  public func setCallingCode(_ code: Int) {
    state.withLock { $0.owner.callingCode = Int64(max(code, 0)) }
  }

  /// Puts somebody into the contacts.
  public func addContact(_ name: String, _ number: String) throws(OwnerError) {
    try state.withLock { (state) throws(OwnerError) in
      state.owner.contacts.append((name, try state.owner.international(number)))
    }
  }

  /// Puts a number on the owner's own list of blocked ones.
  public func block(_ number: String) throws(OwnerError) {
    try state.withLock { (state) throws(OwnerError) in
      _ = state.owner.blocked.insert(try state.owner.international(number))
    }
  }

  /// Notes that the owner called somebody.
  public func noteCall(to number: String) throws(OwnerError) {
    try state.withLock { (state) throws(OwnerError) in
      _ = state.owner.called.insert(try state.owner.international(number))
    }
  }

  /// The contact who has a number, if there is one.
  public func contact(_ number: String) -> String? {
    state.withLock { state in
      guard let variants = NumberVariants(IncomingCall(from: number), callingCode: state.owner.callingCode)
      else {
        return nil
      }
      return state.owner.contact(variants)
    }
  }

  /// Whether a number is on the owner's own list of blocked ones.
  public func isBlockedByOwner(_ number: String) -> Bool {
    state.withLock { state in
      guard let variants = NumberVariants(IncomingCall(from: number), callingCode: state.owner.callingCode)
      else {
        return false
      }
      return state.owner.blocks(variants)
    }
  }

  /// Returns what the phone does with a call: the owner's list is looked at first, then the contacts, then what
  /// extensions block, then their labels, by priority. Throws when the directory's database fails.
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
