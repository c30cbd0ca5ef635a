// Who is calling: a caller's number, looked up in stores that cdpipe made.
//
// iOS asks Call Directory extensions about calls of the carrier only; an app that makes calls of its own looks its callers
// up itself, and this is how. Not for: what is done with the answer (CallManager).

import CallDirectory
import NumberPlan

/// What is known of a caller.
enum CallerAnswer: Equatable, Sendable {
  /// Nothing: the number is shown.
  case unknown
  /// A label, to be shown as the caller's name.
  case named(String)
  /// The call is not wanted.
  case blocked
}

/// The stores that callers are looked up in. It belongs to one queue.
final class CallerDirectory {
  private let lookup: CallerLookup
  private let region: Region?

  /// Opens stores. They are mapped, not read, so opening one needs less than a millisecond.
  ///
  /// - Parameters:
  ///   - stores: the stores' files, in the app's bundle or in its container.
  ///   - region: the country in which numbers without a calling code are dialled, two letters.
  init(stores: [String], region: String) throws {
    lookup = try CallerLookup(stores: stores)
    self.region = Region(region)
  }

  /// What is known of a caller, in less than a microsecond once the stores' pages are in memory. A caller whose handle is
  /// not a number, or whose part of a store is damaged, is unknown: the call rings all the same.
  func answer(to handle: String) -> CallerAnswer {
    guard let number = number(in: handle), let caller = try? lookup.caller(number) else { return .unknown }
    if caller.isBlocked { return .blocked }
    return caller.label.isEmpty ? .unknown : .named(caller.label)
  }

  /// The number of a handle as the stores have it: its digits with the calling code.
  private func number(in handle: String) -> UInt64? {
    let text = ContiguousArray(Self.userPart(of: handle).utf8)
    return try? NumberPlan.parse(text.span, region: region).e164
  }

  /// `+8613800138000` of `sip:+8613800138000@example.com;user=phone`. A handle that is not an address stays as it is.
  static func userPart(of handle: String) -> String {
    var text = handle[...]
    if let colon = text.firstIndex(of: ":"), ["sip", "sips", "tel"].contains(text[..<colon].lowercased()) {
      text = text[text.index(after: colon)...]
    }
    return String(text.prefix { $0 != "@" && $0 != ";" })
  }
}
