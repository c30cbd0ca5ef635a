// The owner's contacts and block list, and the phone's reaction to calls.

import Synchronization

/// An invalid number of the owner.
public enum OwnerError: Error, Equatable, Sendable {
  /// The text has no digits, or too many.
  case notANumber(String)
}

extension SimulatedPhone {
  /// Sets the calling code of the phone's country, which completes national numbers. The default is 1.
  public func setCallingCode(_ code: Int) {
    state.withLock { $0.owner.callingCode = Int64(max(code, 0)) }
  }

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
      else {
        return nil
      }
      return state.owner.contact(variants)
    }
  }

  /// Whether a number is on the owner's block list.
  public func isBlockedByOwner(_ number: String) -> Bool {
    state.withLock { state in
      guard let variants = NumberVariants(IncomingCall(from: number), callingCode: state.owner.callingCode)
      else {
        return false
      }
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
