// The tabs of an app with three parts. Not for their screens.

import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("AllInOne")

/// A tab, which is a part of the app.
nonisolated enum AppTab: CaseIterable {
  /// Names and blocks callers, from a downloaded list.
  case callers
  /// Filters messages.
  case messages
  /// Asks a server for each caller.
  case lookup

  /// The title.
  var title: String {
    switch self {
    case .callers: texts("Callers")
    case .messages: texts("Messages")
    case .lookup: texts("Live Lookup")
    }
  }

  /// The name of the symbol.
  var symbol: String {
    switch self {
    case .callers: "phone"
    case .messages: "message"
    case .lookup: "network"
    }
  }
}
