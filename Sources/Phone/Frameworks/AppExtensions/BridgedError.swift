// What the frameworks share: Apple's error structs (an `NSError` with an enum as its code, which the importer generates
// on Apple platforms), and boxes for the places where classes that are not Sendable pass between threads, one at a time.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// The code of such an error. It matches errors in `catch` patterns.
public protocol BridgedErrorCode: RawRepresentable, Hashable, Sendable where RawValue == Int {
  static var errorDomain: String { get }
}

extension BridgedErrorCode {
  public static func ~= (match: Self, error: any Error) -> Bool {
    (error as? BridgedError<Self>)?.code == match
  }
}

/// An error struct like Apple's, whose constants are codes.
public struct BridgedError<ErrorCode: BridgedErrorCode>: CustomNSError, Hashable, Sendable {
  public typealias Code = ErrorCode

  public let code: Code
  private let nsError: NSError

  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    nsError = NSError(domain: Code.errorDomain, code: code.rawValue, userInfo: userInfo)
  }

  public static var errorDomain: String { Code.errorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { nsError.userInfo }
  public var userInfo: [String: Any] { nsError.userInfo }

  public static func == (one: Self, other: Self) -> Bool { one.nsError.isEqual(other.nsError) }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// A value that is passed to another thread. Only one value per box: Swift 6.3.1 releases an object too often when a
/// tuple that contains a closure is destructured on the other side.
///
/// `@unchecked Sendable`: the code that creates it ensures that the sender releases the value, or that both threads use
/// it alternately, as Apple's frameworks do.
package struct SendableBox<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}

/// A value that is passed to another thread without keeping it alive.
///
/// `@unchecked Sendable`: as with ``SendableBox``; the reference itself is counted atomically.
package final class WeakSendableBox<Value: AnyObject>: @unchecked Sendable {
  package private(set) weak var value: Value?

  package init(_ value: Value) { self.value = value }
}

/// Calls a function that reports its end to a handler, and waits for it.
package func completion(
  of start: (@escaping @Sendable ((any Error)?) -> Void) -> Void
) async throws {
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    start { error in
      if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
  }
}
