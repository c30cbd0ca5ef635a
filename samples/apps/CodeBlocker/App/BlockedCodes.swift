// The app's list of codes: it is saved, and the extensions whose part of it has changed are loaded. Not for screens
// (CodesModel).

import CallDirectoryKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The blocked codes, and the extensions that load them.
nonisolated struct BlockedCodes: Sendable {
  let shared: SharedCodes
  let extensions: [InstalledExtension]
  private let lineDigits: Int

  /// Creates the list of an app. Nothing is read.
  init(_ shared: SharedCodes, extensions: [InstalledExtension], lineDigits: Int = AreaCode.lineDigits) {
    self.shared = shared
    self.extensions = extensions
    self.lineDigits = lineDigits
  }

  /// How many codes can be blocked: six extensions, numbered without gaps, for each.
  var codesMax: Int {
    let numbers = Set(extensions.map(\.index.number))
    return (1...max(1, extensions.count)).prefix { numbers.contains($0) }.count / CodePart.count
  }

  /// The codes to block, as they were saved.
  func saved() throws -> CodeList { try shared.list(slots: codesMax) }

  /// What iOS has of an extension's numbers.
  func state(of own: InstalledExtension) -> DirectoryRow.LoadState {
    let code = code(of: own)
    guard let list = try? saved() else { return .waiting }
    guard let wanted = code.wanted(in: list) else {
      return code.isNew || code.isLoaded(nil) ? .empty : .waiting
    }
    guard code.isLoaded(wanted) else { return .waiting }
    return .loaded(count: code.part.numbers(of: wanted).count, date: code.loadedDate)
  }

  /// Saves a list, and loads the extensions that have to load something, one after another.
  ///
  /// - Throws: if the list can't be saved; nothing was loaded then.
  func apply(
    _ list: CodeList, report: @escaping @Sendable (ReloadProgress) -> Void = { _ in }
  ) async throws -> [ReloadOutcome] {
    try shared.set(list)
    let due = extensions.filter { state(of: $0) == .waiting }
    let items = due.map { own in
      let code = code(of: own)
      let count = code.wanted(in: list).map { code.part.numbers(of: $0).count } ?? 0
      return ReloadItem(own.identifier, entries: UInt64(count))
    }
    let outcomes = await ReloadRun(items).run(report)
    for (own, outcome) in zip(due, outcomes) where outcome == .loaded { await waitForRecord(of: own) }
    return outcomes
  }

  /// iOS informs the app and the extension of the end of a load in either order.
  private func waitForRecord(of own: InstalledExtension) async {
    let deadline = ContinuousClock.now + .seconds(5)
    while state(of: own) == .waiting, .now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  private func code(of own: InstalledExtension) -> ExtensionCode {
    ExtensionCode(own.index, shared, lineDigits: lineDigits)
  }
}

nonisolated extension ExtensionCode {
  /// The code of the extension's slot in a list; nil if it is empty, or there is no such slot.
  func wanted(in list: CodeList) -> AreaCode? {
    list.slots.indices.contains(part.slot) ? list.slots[part.slot] : nil
  }
}
