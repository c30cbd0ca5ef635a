// A message of the input, read from a line of JSON or a CSV record.

import CallRecord
import DelimitedText
import FoundationEssentials
import SystemIO

/// A message and its expected action, if any.
public struct MessageRow {
  /// The sender: a phone number or a name.
  public var sender = ""
  /// The message's text.
  public var text = ""
  /// The receiver's country as two letters; nil if the input does not contain it.
  public var country: String?
  /// The name of the expected action; nil if it is not read.
  public var expected: String?
}

/// The format of messages and answers.
public enum MessageFormat: String, CaseIterable {
  case json, csv
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
        row.expected = expected
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

/// The positions of the message's fields in a CSV record.
struct CSVColumns {
  private var sender: Int?
  private var text: Int
  private var country: Int?
  private var expected: Int?
  private let count: Int

  /// Finds the columns by their names in the header. Fails with the name of the first missing column.
  static func find(_ header: [String], expected name: String?) -> Result<CSVColumns, MessageReject> {
    func column(_ name: String) -> Int? {
      header.firstIndex { $0.lowercased() == name.lowercased() }
    }
    guard let text = column("text") else { return .failure(.missing("text")) }
    var columns = CSVColumns(
      sender: column("sender"), text: text, country: column("country"), expected: nil, count: header.count)
    if let name {
      guard let expected = column(name) else { return .failure(.missing(name)) }
      columns.expected = expected
    }
    return .success(columns)
  }

  /// Converts a record with these fields to a message.
  func row(_ fields: [TableField], _ bytes: Span<UInt8>) -> Result<MessageRow, MessageReject> {
    guard fields.count == count else { return .failure(.fieldCount(fields.count, of: count)) }
    var row = MessageRow()
    row.text = fields[text].text(bytes)
    row.sender = sender.map { fields[$0].text(bytes) } ?? ""
    row.country = country.map { fields[$0].text(bytes) }
    row.expected = expected.map { fields[$0].text(bytes) }
    return .success(row)
  }
}
