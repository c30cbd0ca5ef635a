// The identity of the other side of a call.

public import Foundation

/// A phone number, an e-mail address, or another identifier of a caller.
open class CXHandle: NSObject, NSCopying, NSSecureCoding {
  /// The type of the value.
  public enum HandleType: Int, Sendable {
    /// Any other identifier.
    case generic = 1
    /// A phone number.
    case phoneNumber = 2
    /// An e-mail address.
    case emailAddress = 3
  }

  /// The type of the value.
  public let type: HandleType
  /// The number or address.
  public let value: String

  /// Creates a handle.
  public init(type: HandleType, value: String) {
    self.type = type
    self.value = value
    super.init()
  }

  /// Returns the handle itself, because handles are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether another handle has the same type and value.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CXHandle else { return false }
    return other.type == type && other.value == value
  }

  /// Whether another handle has the same type and value.
  open func isEqual(to handle: CXHandle) -> Bool { isEqual(handle) }

  /// Hashes the value.
  open override var hash: Int { value.hashValue }

  /// Handles may be archived.
  public static var supportsSecureCoding: Bool { true }

  /// Archives the handle.
  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(value as NSString, forKey: "value")
  }

  /// Reads a handle from an archive.
  public required init?(coder: NSCoder) {
    guard let type = HandleType(rawValue: coder.decodeInteger(forKey: "type")),
      let value = coder.decodeObject(of: NSString.self, forKey: "value")
    else { return nil }
    self.type = type
    self.value = value as String
    super.init()
  }
}
