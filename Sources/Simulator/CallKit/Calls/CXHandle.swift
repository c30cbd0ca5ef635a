// Who is at the other end of a call.

public import Foundation

/// A number, an address, or any other name of a caller.
open class CXHandle: NSObject, NSCopying, NSSecureCoding {
  /// What the value is.
  public enum HandleType: Int, Sendable {
    /// Anything.
    case generic = 1
    /// A phone number.
    case phoneNumber = 2
    /// An address of electronic mail.
    case emailAddress = 3
  }

  /// What the value is.
  public let type: HandleType
  /// The number or address.
  public let value: String

  /// Makes a handle.
  public init(type: HandleType, value: String) {
    self.type = type
    self.value = value
    super.init()
  }

  /// Handles are values: a copy is the same.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether another handle names the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CXHandle else { return false }
    return other.type == type && other.value == value
  }

  /// Whether another handle names the same.
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
