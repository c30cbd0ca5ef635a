// The class that iOS instantiates when it loads the extension. It generates the numbers from the codes one by one; only
// the codes are stored.

import CallKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Blocks all numbers that begin with one of the owner's codes.
nonisolated final class CallDirectoryHandler: CXCallDirectoryProvider {
  private let shared: SharedCodes?

  /// The initializer that iOS calls.
  override convenience init() {
    self.init(AppGroup.folder().map { SharedCodes($0) })
  }

  /// Creates a handler. Without an app group (nil) it blocks nothing.
  init(_ shared: SharedCodes?) {
    self.shared = shared
    super.init()
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    guard let shared else { return context.completeRequest() }
    let wanted = shared.wanted
    let loaded = shared.loaded
    let load: String
    do {
      load = try shared.beginLoading(wanted)
    } catch {
      // Without the note of this load, later changes would be computed from the wrong list.
      return context.cancelRequest(withError: error)
    }
    // Read `isIncremental` only if the loaded list is known: once it was read and is true, iOS accepts only changes.
    if let loaded, context.isIncremental {
      feedChanges(from: loaded, to: wanted, context)
    } else {
      add(CodeList.ranges(of: wanted.codes), to: context)
    }
    context.completeRequest { expired in
      if !expired { shared.endLoading(load) }
    }
  }

  /// Removals first: a new shorter code may block numbers again that a removed longer code blocked.
  private func feedChanges(
    from loaded: CodeList, to wanted: CodeList, _ context: CXCallDirectoryExtensionContext
  ) {
    let (old, new) = (Set(loaded.codes), Set(wanted.codes))
    for range in CodeList.ranges(of: old.subtracting(new)) {
      each(range) { context.removeBlockingEntry(withPhoneNumber: $0) }
    }
    add(CodeList.ranges(of: new.subtracting(old)), to: context)
  }

  private func add(_ ranges: [ClosedRange<UInt64>], to context: CXCallDirectoryExtensionContext) {
    for range in ranges {
      each(range) { context.addBlockingEntry(withNextSequentialPhoneNumber: $0) }
    }
  }

  /// The numbers per autorelease pool: Apple's frameworks allocate memory for each number.
  private static let numbersInPool: UInt64 = 4_096

  private func each(_ range: ClosedRange<UInt64>, _ body: (CXCallDirectoryPhoneNumber) -> Void) {
    var next = range.lowerBound
    while next <= range.upperBound {
      let last = min(range.upperBound, next + (Self.numbersInPool - 1))
      autoreleasepool {
        // Numbers have at most 15 digits.
        for number in next...last { body(CXCallDirectoryPhoneNumber(number)) }
      }
      next = last + 1
    }
  }
}

nonisolated extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    shared?.forgetLoaded()
  }
}
