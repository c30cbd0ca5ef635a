// The answer to a lookup: what a call from a number would show, according to the extensions' files.

import CallDirectory
import Foundation
import NumberPlan

private nonisolated let texts = TextCatalog("Directory")

/// The answer to the lookup of a number.
public nonisolated struct NumberAnswer: Equatable, Sendable {
  /// What is known of the number.
  public enum Finding: Equatable, Sendable {
    /// Calls are blocked; the label is empty if there is none.
    case blocked(label: String)
    /// Calls are shown with a label.
    case labelled(String)
    /// The list does not contain the number.
    case unknown
    /// The text is not a phone number.
    case notANumber
    /// There is no list.
    case noList
    /// The files can't be read.
    case unreadable
  }

  /// The number in international form; nil if the text is not a number.
  public let number: String?
  /// What is known of the number.
  public let finding: Finding

  /// The finding in a few words.
  public var text: String {
    switch finding {
    case .blocked(""): texts("Blocked")
    case .blocked(let label): texts("Blocked: %@", label as NSString)
    case .labelled(let label): label
    case .unknown: texts("Not in the list")
    case .notANumber: texts("Not a phone number")
    case .noList: texts("No list is loaded.")
    case .unreadable: texts("The list can’t be read.")
    }
  }

  /// Looks up a number.
  ///
  /// - Parameters:
  ///   - text: the number as typed.
  ///   - files: the files of each extension.
  ///   - region: the country of numbers without a calling code, as two letters.
  public init(
    to text: String, in files: [ExtensionFiles], region: String? = Locale.current.region?.identifier
  ) {
    let text = ContiguousArray(text.utf8)
    guard let number = try? NumberPlan.parse(text.span, region: region.flatMap { Region($0) }).e164 else {
      self.number = nil
      finding = .notANumber
      return
    }
    self.number = "+\(number)"
    finding = Self.finding(number, files)
  }

  private static func finding(_ number: UInt64, _ files: [ExtensionFiles]) -> Finding {
    if files.isEmpty { return .noList }
    do {
      guard let caller = try CallerLookup(files).caller(number) else { return .unknown }
      if caller.isBlocked { return .blocked(label: caller.label) }
      return caller.label.isEmpty ? .unknown : .labelled(caller.label)
    } catch {
      return .unreadable
    }
  }
}
