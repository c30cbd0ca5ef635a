// What iOS makes when it loads the extension: numbers are made of the codes here, one after another; nothing is stored but the codes.

import CallKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Blocks all numbers that begin with one of the owner's codes.
final class CallDirectoryHandler: CXCallDirectoryProvider {
  private let shared: SharedCodes?

  /// What iOS calls.
  override convenience init() {
    self.init(AppGroup.folder().map { SharedCodes($0) })
  }

  /// Makes a handler; nil for one without an app group, which blocks nothing.
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
      // A record that is wrong would block the wrong numbers for good.
      return context.cancelRequest(withError: error)
    }
    // `isIncremental` is read only if it is known what is loaded: once it is read and true, only changes may come.
    if let loaded, context.isIncremental {
      feedChanges(from: loaded, to: wanted, context)
    } else {
      add(CodeList.ranges(of: wanted.codes), to: context)
    }
    context.completeRequest { expired in
      if !expired { shared.endLoading(load) }
    }
  }

  /// Removals first: what a longer code blocked, a shorter one may block again.
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

  /// How many numbers are passed before the memory that Apple's frameworks use for each is freed.
  private static let numbersInPool: UInt64 = 4_096

  private func each(_ range: ClosedRange<UInt64>, _ body: (CXCallDirectoryPhoneNumber) -> Void) {
    var next = range.lowerBound
    while next <= range.upperBound {
      let last = min(range.upperBound, next + (Self.numbersInPool - 1))
      autoreleasepool {
        // Numbers have 15 digits at the most.
        for number in next...last { body(CXCallDirectoryPhoneNumber(number)) }
      }
      next = last + 1
    }
  }
}

extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    shared?.forgetLoaded()
  }
}
