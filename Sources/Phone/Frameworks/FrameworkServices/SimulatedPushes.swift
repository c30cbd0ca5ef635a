// The pushes of apps' servers, and iOS's rule for them: a push for a call has to be reported to CallKit.

import AppExtensions
import Dispatch
public import Foundation
package import PushKit
import Synchronization

/// The pushes that a phone receives for its app. Usable from any thread.
///
/// The rule is Apple's (PushKit's documentation): an app that does not report a call is terminated, and one that
/// repeatedly does not may get no more pushes. How iOS checks it is described by Apple's engineers in the developer
/// forums (threads 768136, 781211 and 817976).
public final class SimulatedPushes: Sendable {
  /// The maximum size of a payload in bytes. Apple's documentation of remote notifications: 5 KB for calls.
  public static let payloadBytesMax = 5_120
  /// The number of missed reports after which the phone passes no more pushes to the app. Apple does not publish it;
  /// developers report about four.
  public static let missesMax = 4

  private struct Registered {
    var registries: [WeakSendableBox<PKPushRegistry>] = []
    var tokens: [PKPushType: Data] = [:]
    var tokensMade: UInt8 = 0
    var isInForeground = false
    var passesMetadata = true
    var misses = 0
    var completions = 0
  }

  private let state = Mutex(Registered())
  private let book: CallBook
  private let reportSeconds: Double

  init(_ book: CallBook, reportSeconds: Double) {
    self.book = book
    self.reportSeconds = reportSeconds
  }

  // MARK: The app's server

  /// The token under which the app's server reaches this phone; nil if the app is not registered.
  public var token: Data? { token(of: .voIP) }

  /// Delivers a push for a call, and waits until the phone knows what became of it.
  ///
  /// - Parameters:
  ///   - json: the payload, a JSON object.
  ///   - isLate: whether the phone was unreachable, so that the app need not report a call any more.
  /// - Throws: ``PushRequestError`` if Apple's server would refuse it.
  public func deliver(_ json: String, isLate: Bool = false) async throws -> PushOutcome {
    guard json.utf8.count <= Self.payloadBytesMax else {
      throw PushRequestError.payloadTooLarge(bytes: json.utf8.count)
    }
    guard let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] else {
      throw PushRequestError.notAnObject
    }
    var contents: [AnyHashable: Any] = [:]
    for (key, value) in object { contents[key] = value }
    let payload = SendableBox(PKPushPayload(type: .voIP, dictionaryPayload: contents))
    guard let registry = registry(for: .voIP) else { return .notRegistered }
    if state.withLock({ $0.misses >= Self.missesMax }) { return .withheld }
    return count(await pass(payload, to: SendableBox(registry), isLate: isLate))
  }

  /// Calls the delegate on its queue. Two checks, as on iOS: when the delegate returns, and after some seconds.
  private func pass(
    _ payload: SendableBox<PKPushPayload>, to registry: SendableBox<PKPushRegistry>, isLate: Bool
  ) async -> PushOutcome {
    // What counts is the app's state when the push arrives.
    let (isInForeground, passesMetadata) = state.withLock { ($0.isInForeground, $0.passesMetadata) }
    let isExempt = isInForeground || isLate || book.hasCalls
    let reports = book.reports
    let result: @Sendable (PushMiss) -> PushOutcome = { miss in
      if self.book.reports > reports { return .reported }
      return isExempt ? .notRequired : .terminated(miss)
    }
    guard registry.value.delegate != nil else { return result(.notReportedInTime) }
    let answer = FirstOutcome()
    return await withCheckedContinuation { continuation in
      answer.wait(continuation)
      registry.value.queue.async {
        let completion: @Sendable () -> Void = { self.state.withLock { $0.completions += 1 } }
        if passesMetadata {
          registry.value.delegate?.pushRegistry(
            registry.value, didReceiveIncomingVoIPPushWith: payload.value,
            metadata: PKVoIPPushMetadata(mustReport: !isExempt), withCompletionHandler: completion)
        } else {
          registry.value.delegate?.pushRegistry(
            registry.value, didReceiveIncomingPushWith: payload.value, for: .voIP, completion: completion)
        }
        answer.give(result(.returnedWithoutReport))
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + reportSeconds) {
        answer.give(result(.notReportedInTime))
      }
    }
  }

  private func count(_ outcome: PushOutcome) -> PushOutcome {
    state.withLock { state in
      if case .terminated = outcome { state.misses += 1 }
    }
    return outcome
  }

  // MARK: The phone and its owner

  /// Sets whether the app is in the foreground. At first it is not: pushes wake it.
  public func setInForeground(_ isInForeground: Bool) {
    state.withLock { $0.isInForeground = isInForeground }
  }

  /// Sets whether the phone passes metadata with pushes, as iOS does from 26.4 on. At first it does.
  public func setPassesMetadata(_ passesMetadata: Bool) {
    state.withLock { $0.passesMetadata = passesMetadata }
  }

  /// Removes the app and installs it again: the phone forgets missed reports, and the app gets another token.
  public func reinstallApp() {
    state.withLock { $0.misses = 0 }
    renewToken()
  }

  /// Replaces the token, as iOS may do at any time.
  public func renewToken() {
    state.withLock { $0.tokens = [:] }
    if let registry = registry(for: .voIP) { register(registry) }
  }

  /// Makes the token invalid.
  public func invalidateToken() {
    state.withLock { $0.tokens = [:] }
    onQueue { registry, delegate in delegate.pushRegistry(registry, didInvalidatePushTokenFor: .voIP) }
  }

  /// How many pushes the app has reported as processed, by their completion handlers.
  public var completions: Int { state.withLock { $0.completions } }

  /// How many pushes were not reported to CallKit.
  public var misses: Int { state.withLock { $0.misses } }

  // MARK: Registries

  /// The newest registry that wants a type.
  private func registry(for type: PKPushType) -> PKPushRegistry? {
    let registries = state.withLock { $0.registries }.reversed().lazy.compactMap(\.value)
    return registries.first { $0.desiredPushTypes?.contains(type) == true }
  }

  private func onQueue(
    _ body: @escaping @Sendable (PKPushRegistry, any PKPushRegistryDelegate) -> Void
  ) {
    guard let registry = registry(for: .voIP) else { return }
    let handed = SendableBox(registry)
    registry.queue.async {
      if let delegate = handed.value.delegate { body(handed.value, delegate) }
    }
  }
}

extension SimulatedPushes: PushingPhone {
  package func register(_ registry: PKPushRegistry) {
    let box = WeakSendableBox(registry)
    state.withLock { state in
      state.registries.removeAll { $0.value == nil || $0.value === box.value }
      state.registries.append(box)
    }
    guard registry.desiredPushTypes?.contains(.voIP) == true else { return }
    let token = state.withLock { state in
      if let token = state.tokens[.voIP] { return token }
      state.tokensMade &+= 1
      let token = Data(repeating: state.tokensMade, count: 32)
      state.tokens[.voIP] = token
      return token
    }
    onQueue { registry, delegate in
      let credentials = PKPushCredentials(type: .voIP, token: token)
      delegate.pushRegistry(registry, didUpdate: credentials, for: .voIP)
    }
  }

  package func token(of type: PKPushType) -> Data? {
    registry(for: type) == nil ? nil : state.withLock { $0.tokens[type] }
  }
}

private final class FirstOutcome: Sendable {
  private let continuation = Mutex<CheckedContinuation<PushOutcome, Never>?>(nil)

  func wait(_ continuation: CheckedContinuation<PushOutcome, Never>) {
    self.continuation.withLock { $0 = continuation }
  }

  /// Only the first call has an effect.
  func give(_ outcome: PushOutcome) {
    let waiting = continuation.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    waiting?.resume(returning: outcome)
  }
}

/// Why an app was terminated after a push.
public enum PushMiss: Sendable, Equatable {
  /// The delegate returned, and no call had been reported. PushKit raises an exception: "Killing app because it never
  /// posted an incoming call to the system after receiving a PushKit VoIP push."
  case returnedWithoutReport
  /// The registry has no delegate, or the delegate did not return, and no call was reported in time. iOS ends the
  /// process with the code 0xbaadca11.
  case notReportedInTime
}

/// What became of a push for a call.
public enum PushOutcome: Sendable, Equatable {
  /// The app reported a call, whether or not the phone showed it.
  case reported
  /// The app reported no call, and did not have to: it is in the foreground, or has a call, or the push was late.
  case notRequired
  /// The phone terminated the app, because it reported no call.
  case terminated(PushMiss)
  /// The phone did not pass the push to the app, because the app missed too many reports.
  case withheld
  /// The app is not registered for pushes.
  case notRegistered
}

/// Why Apple's server refuses a push.
public enum PushRequestError: Error, Equatable, Sendable {
  /// The payload is not a JSON object.
  case notAnObject
  /// The payload has more than ``SimulatedPushes/payloadBytesMax`` bytes.
  case payloadTooLarge(bytes: Int)
}
