// What a phone shows for a number: the values of identity databases.
//
//     message CallIdentity { string name = 1; Icon icon = 2; uint32 cache_expiry_minutes = 3;
//       IdentityCategory category = 4; }
//
// Source: apple/pir-service-example, ConstructDatabase and its CallIdentity messages.

import SystemIO

/// The caller that a phone shows for a number.
package struct CallIdentity: Equatable, Sendable {
  /// What kind of caller it is.
  package enum Category: UInt8, CaseIterable, Sendable {
    /// Unknown.
    case unspecified = 0
    /// A person.
    case person = 1
    /// A business.
    case business = 2
  }

  /// The name.
  package var name: String
  /// The minutes for which a phone keeps the answer; 0 for its own default.
  package var cacheMinutes: UInt32
  /// The kind of caller.
  package var category: Category

  package init(name: String, cacheMinutes: UInt32 = 0, category: Category = .unspecified) {
    self.name = name
    self.cacheMinutes = cacheMinutes
    self.category = category
  }

  /// The number and the identity that Apple looks up before it accepts a service. Source: Apple's documentation, "Setting
  /// up the HTTP endpoints for Live Caller ID Lookup".
  package static let test: (number: UInt64, identity: CallIdentity) =
    (14_085_551_212, CallIdentity(name: "Johnny Appleseed"))

  /// The value of a row.
  package var value: [UInt8] {
    var bytes: [UInt8] = []
    if !name.isEmpty { Protobuf.append(Array(name.utf8), field: 1, to: &bytes) }
    Protobuf.append(UInt64(cacheMinutes), field: 3, to: &bytes)
    Protobuf.append(UInt64(category.rawValue), field: 4, to: &bytes)
    return bytes
  }

  /// Reads the value of a row; nil if it is none. Icons and unknown fields are skipped.
  package init?(_ value: Span<UInt8>) {
    self.init(name: "")
    var at = 0
    do throws(KeywordRowError) {
      while at < value.count {
        let tag = value[at]
        switch tag & 7 {
        case 2:
          guard let field = try Protobuf.message(value, &at, field: tag >> 3, limit: value.count) else {
            return nil
          }
          if tag >> 3 == 1 {
            var bytes: [UInt8] = []
            bytes.append(copying: value.extracting(field))
            guard let name = String(validating: bytes, as: UTF8.self) else { return nil }
            self.name = name
          }
        case 0:
          at += 1
          guard let number = try Protobuf.varint(value, &at) else { return nil }
          if tag >> 3 == 3 { cacheMinutes = UInt32(truncatingIfNeeded: number) }
          if tag >> 3 == 4 {
            category = Category(rawValue: UInt8(truncatingIfNeeded: number)) ?? .unspecified
          }
        default: return nil
        }
      }
    } catch {
      return nil
    }
  }
}
