// A message of the input, and how it is read from a line of JSON. MessageColumns reads it from a table.

import Records
import FoundationEssentials
package import MessageRules
import SystemIO

/// A message, its place, and its expected action, if any.
package struct MessageRow {
  /// The sender: a phone number or a name.
  package var sender = ""
  /// The message's text.
  package var text = ""
  /// The receiver's country as two letters; nil if the input does not contain it.
  package var country: String?
  /// The label that stands for the expected action; nil if it is not read.
  var label: String?
  /// The actions that are right, the expected one first; empty if they are not read.
  package var expected: [MessageAction] = []
  /// The line on which the message starts, from 1.
  package var line: UInt64 = 0
}

/// Reads a message from a line of JSON.
struct JSONMessage {
  /// Reads a line; `expected` is the field that contains the expected action.
  static func read(_ line: Span<UInt8>, expected: String?) -> Result<MessageRow, MessageReject> {
    guard UTF8Check.isValid(line) else { return .failure(.notUTF8) }
    let decoder = JSONDecoder()
    if let expected { decoder.userInfo[.expectedField] = expected }
    do {
      return .success(try decoder.decode(MessageDocument.self, from: Data([UInt8](copying: line))).row)
    } catch let error as MessageReject {
      return .failure(error)
    } catch {
      return .failure(.malformed)
    }
  }

  private struct FieldName: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  private struct MessageDocument: Decodable {
    var row = MessageRow()

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: FieldName.self)
      func text(_ name: String) throws -> String? {
        let key = FieldName(stringValue: name)
        guard fields.contains(key), try !fields.decodeNil(forKey: key) else { return nil }
        guard let text = try? fields.decode(String.self, forKey: key) else {
          throw MessageReject.notText(name)
        }
        return text
      }
      row.sender = try text("sender") ?? ""
      guard let body = try text("text") else { throw MessageReject.missing("text") }
      row.text = body
      row.country = try text("country")
      if let field = decoder.userInfo[.expectedField] as? String {
        guard let expected = try text(field) else { throw MessageReject.missing(field) }
        row.label = expected
      }
    }
  }
}

extension CodingUserInfoKey {
  /// The field that contains the expected action.
  fileprivate static var expectedField: CodingUserInfoKey {
    // Any text makes a valid key.
    CodingUserInfoKey(rawValue: "expected")!
  }
}

extension MessageReject: Error {}
