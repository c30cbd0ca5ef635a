// A message as it stands in the input: JSON lines, or CSV with a header.

import CallRecord
import FoundationEssentials

/// A message, and what somebody expects of it.
struct MessageRow {
  var sender = ""
  var text = ""
  var country: String?
  var expected: String?
}

/// How messages are written.
enum MessageFormat: String, CaseIterable {
  case json, csv
}

/// One line of JSON.
struct JSONMessage {
  /// Reads a line; `expected` is the field of what somebody expects.
  static func read(_ line: ContiguousArray<UInt8>, expected: String?) -> Result<MessageRow, MessageReject> {
    guard UTF8Check.isValid(line.span) else { return .failure(.notUTF8) }
    let decoder = JSONDecoder()
    if let expected { decoder.userInfo[.expectedField] = expected }
    do {
      return .success(try decoder.decode(Body.self, from: Data(line)).row)
    } catch let error as MessageReject {
      return .failure(error)
    } catch {
      return .failure(.malformed)
    }
  }

  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  private struct Body: Decodable {
    var row = MessageRow()

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Name.self)
      func text(_ name: String) throws -> String? {
        let key = Name(stringValue: name)
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
  /// The field of what somebody expects.
  fileprivate static var expectedField: CodingUserInfoKey {
    // A key of any text can be made.
    CodingUserInfoKey(rawValue: "expected")!
  }
}

extension MessageReject: Error {}

/// Which columns of a table hold what.
struct CSVColumns {
  private var sender: Int?
  private var text: Int
  private var country: Int?
  private var expected: Int?
  private let count: Int

  /// Finds the columns by their names in the header; the missing one's name if there is none.
  static func find(_ header: [String], expected name: String?) -> Result<CSVColumns, MessageReject> {
    func place(_ name: String) -> Int? {
      header.firstIndex { $0.lowercased() == name.lowercased() }
    }
    guard let text = place("text") else { return .failure(.missing("text")) }
    var columns = CSVColumns(
      sender: place("sender"), text: text, country: place("country"), expected: nil, count: header.count)
    if let name {
      guard let expected = place(name) else { return .failure(.missing(name)) }
      columns.expected = expected
    }
    return .success(columns)
  }

  /// A record's message.
  func row(_ fields: [String]) -> Result<MessageRow, MessageReject> {
    guard fields.count == count else { return .failure(.fieldCount(fields.count, of: count)) }
    var row = MessageRow()
    row.text = fields[text]
    row.sender = sender.map { fields[$0] } ?? ""
    row.country = country.map { fields[$0] }
    row.expected = expected.map { fields[$0] }
    return .success(row)
  }
}
