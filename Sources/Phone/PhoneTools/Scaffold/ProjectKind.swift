// What `cdpipe scaffold` creates: the kinds of projects, and the programs that describe them.
//
// Not for what an app's parts consist of (ProjectPart).

/// What `cdpipe scaffold` creates.
package enum ProjectKind: String, Sendable, CaseIterable {
  /// An app that blocks calls with Call Directory extensions, whose lists are in their bundles.
  case blocker
  /// An app that names and blocks callers from a list that it downloads every night.
  case callerID = "caller-id"
  /// An app that filters messages by rules.
  case messageFilter = "message-filter"
  /// An app with a Live Caller ID Lookup extension.
  case liveLookup = "live-lookup"
  /// An app with the parts of the last three.
  case all
}

extension ProjectKind {
  /// The kinds whose apps are the parts of this one: itself, if it has one part.
  package var parts: [ProjectKind] { self == .all ? [.callerID, .messageFilter, .liveLookup] : [self] }

  /// Whether an app with this part has Call Directory extensions.
  var isDirectory: Bool { self == .blocker || self == .callerID }

  /// The file with the app's entry point. Only one kind's file may be in a project.
  var entryFile: String {
    switch self {
    case .blocker: "App/BlockingApp.swift"
    case .callerID: "App/CallerApp.swift"
    case .messageFilter: "App/FilterApp.swift"
    case .liveLookup: "App/LookupApp.swift"
    case .all: "App/AllInOneApp.swift"
    }
  }
}

/// What describes the Xcode project: its own files, or the description from which a program generates it.
package enum ProjectManager: String, Sendable, CaseIterable {
  /// Xcode itself, which opens the `.xcodeproj`.
  case xcode
  /// Tuist (tuist.dev), which reads Project.swift.
  case tuist
  /// XcodeGen (github.com/yonaskolb/XcodeGen), which reads project.yml.
  case xcodegen
}

extension ProjectManager {
  /// The command that generates the Xcode project; nil if it need not be generated.
  var command: String? {
    switch self {
    case .xcode: nil
    case .tuist: "tuist generate"
    case .xcodegen: "xcodegen generate"
    }
  }

  /// The suffix of what is opened in Xcode.
  var openedSuffix: String {
    switch self {
    case .tuist: "xcworkspace"
    case .xcode, .xcodegen: "xcodeproj"
    }
  }
}
