// The class that iOS instantiates when it loads an extension. It generates the numbers of its part of an area code one by
// one; only the code is stored.

import CallKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Blocks a part of the numbers of an area code.
nonisolated final class CallDirectoryHandler: CXCallDirectoryProvider {
  private let own: ExtensionCode?

  /// The initializer that iOS calls.
  override convenience init() {
    let index = InstalledExtension.running?.index
    let shared = AppGroup.folder().map { SharedCodes($0) }
    self.init(index.flatMap { index in shared.map { ExtensionCode(index, $0) } })
  }

  /// Creates a handler. Without an extension index or an app group (nil) it blocks nothing.
  init(_ own: ExtensionCode?) {
    self.own = own
    super.init()
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    guard let own else { return context.completeRequest() }
    do {
      let wanted = try own.wanted()
      // Read `isIncremental` only if iOS has the code: once it was read and is true, iOS accepts only changes.
      if own.isLoaded(wanted), context.isIncremental { return context.completeRequest() }
      // Before the first number: without this note, the record would be of the former code.
      let load = try own.beginLoading(wanted)
      if let wanted { add(own.part.numbers(of: wanted), to: context) }
      context.completeRequest { expired in
        if !expired { own.endLoading(load) }
      }
    } catch {
      // The list can't be read, or the note not written. An incremental request without changes keeps what iOS has.
      if context.isIncremental { context.completeRequest() } else { context.cancelRequest(withError: error) }
    }
  }

  /// The numbers per autorelease pool: Apple's frameworks allocate memory for each number.
  private static let numbersInPool: UInt64 = 4_096

  private func add(_ range: ClosedRange<UInt64>, to context: CXCallDirectoryExtensionContext) {
    var next = range.lowerBound
    while next <= range.upperBound {
      let last = min(range.upperBound, next + (Self.numbersInPool - 1))
      autoreleasepool {
        // Numbers have 11 digits.
        for number in next...last {
          context.addBlockingEntry(withNextSequentialPhoneNumber: CXCallDirectoryPhoneNumber(number))
        }
      }
      next = last + 1
    }
  }
}

nonisolated extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    own?.forgetLoaded()
  }
}
