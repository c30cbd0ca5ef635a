// Apple's error structs: an `NSError` with an enum as its code. On Apple platforms the importer generates them; here
// they share this implementation.

public import Foundation

/// The code of such an error. It matches errors in `catch` patterns.
public protocol BridgedErrorCode: RawRepresentable, Hashable, Sendable where RawValue == Int {
  /// The error struct of the code.
  associatedtype ErrorStruct: BridgedErrorStruct where ErrorStruct.Code == Self
}

extension BridgedErrorCode {
  /// Whether an error is of this domain and code.
  public static func ~= (match: Self, error: any Error) -> Bool {
    (error as? ErrorStruct)?.code == match
  }
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
