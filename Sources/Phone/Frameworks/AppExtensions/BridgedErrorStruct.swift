// What the frameworks share: Apple's error structs (an `NSError` with an enum as its code, which the importer generates
// on Apple platforms), and boxes for the places where classes that are not Sendable pass between threads, one at a time.

public import Foundation

/// The code of such an error. It matches errors in `catch` patterns.
public protocol BridgedErrorCode: RawRepresentable, Hashable, Sendable where RawValue == Int {
  associatedtype ErrorStruct: BridgedErrorStruct where ErrorStruct.Code == Self
}

extension BridgedErrorCode {
  /// Whether an error is of this domain and code.
  public static func ~= (match: Self, error: any Error) -> Bool { (error as? ErrorStruct)?.code == match }
}

/// An error struct like Apple's.
public protocol BridgedErrorStruct: CustomNSError, Hashable, Sendable {
  /// The type of the codes.
  associatedtype Code: BridgedErrorCode

  /// The code.
  var code: Code { get }
  /// The error as an object.
  var nsError: NSError { get }
  /// Creates an error from a code and the corresponding object.
  init(code: Code, nsError: NSError)
}

extension BridgedErrorStruct {
  /// Creates an error.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.init(
      code: code, nsError: NSError(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo))
  }

  /// The code as a number.
  public var errorCode: Int { code.rawValue }
  /// The error's user info.
  public var errorUserInfo: [String: Any] { nsError.userInfo }
  /// The error's user info.
  public var userInfo: [String: Any] { nsError.userInfo }

  /// Compares the underlying objects.
  public static func == (one: Self, other: Self) -> Bool { one.nsError.isEqual(other.nsError) }

  /// Hashes the code.
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
  /// The value; nil once it is deallocated.
  package private(set) weak var value: Value?

  package init(_ value: Value) { self.value = value }
}
