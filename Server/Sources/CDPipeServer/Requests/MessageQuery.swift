// The query that iOS sends for a message filter, parsed from the request's body.
//
// Source: "Creating a message filter app extension" in Apple's documentation. The order of fields and white space do
// not matter; unknown fields are ignored.

package import NIOCore

/// A message to classify.
package struct MessageQuery: Equatable, Sendable {
  /// The message's sender.
  package var sender: String
  /// The message's text.
  package var text: String

  /// The supported version of the format.
  static let version = 1

  private struct Document: Decodable {
    struct Query: Decodable {
      struct Message: Decodable {
        var text: Lenient<String>?
      }
      var sender: Lenient<String>?
      var message: Lenient<Message>?
    }
    enum CodingKeys: String, CodingKey {
      case version = "_version"
      case query
    }
    var version: Lenient<Int>?
    var query: Lenient<Query>?
  }

  /// A value that may have the wrong type; the rest of the document is still read.
  private enum Lenient<Value: Decodable>: Decodable {
    case value(Value)
    case wrongType

    init(from decoder: any Decoder) throws {
      do {
        self = .value(try Value(from: decoder))
      } catch DecodingError.typeMismatch, DecodingError.valueNotFound, DecodingError.dataCorrupted {
        self = .wrongType
      }
    }
  }

  /// Parses a request's body.
  ///
  /// - Complexity: O(bytes).
  package init(_ body: ByteBuffer) throws(RequestError) {
    guard let document = JSON.value(Lenient<Document>.self, body) else { throw .notJSON }
    let fields = try Self.value(document, "the body")
    if let version = fields.version {
      guard try Self.value(version, "_version") == Self.version else { throw .unknownVersion }
    }
    let query = try Self.field(fields.query, "query")
    sender = try Self.field(query.sender, "query.sender")
    text = try Self.field(try Self.field(query.message, "query.message").text, "query.message.text")
  }

  private static func field<Value>(_ field: Lenient<Value>?, _ name: String) throws(RequestError) -> Value {
    guard let field else { throw .missing(field: name) }
    return try value(field, name)
  }

  private static func value<Value>(_ field: Lenient<Value>, _ name: String) throws(RequestError) -> Value {
    guard case .value(let value) = field else { throw .wrongType(field: name) }
    return value
  }
}
