// A provider's description of a call.

public import Foundation

/// Particulars of a call. What is not set changes nothing.
open class CXCallUpdate: NSObject, NSCopying {
  package private(set) var holding: Bool?
  package private(set) var grouping: Bool?
  package private(set) var ungrouping: Bool?
  package private(set) var dtmf: Bool?
  package private(set) var video: Bool?

  /// Who is at the other end.
  open var remoteHandle: CXHandle?
  /// The name to show, in place of the one that the phone would find.
  open var localizedCallerName: String?
  /// Whether the call can be held.
  open var supportsHolding: Bool {
    get { holding ?? false }
    set { holding = newValue }
  }
  /// Whether it can be put into a group.
  open var supportsGrouping: Bool {
    get { grouping ?? false }
    set { grouping = newValue }
  }
  /// Whether it can be taken out of a group.
  open var supportsUngrouping: Bool {
    get { ungrouping ?? false }
    set { ungrouping = newValue }
  }
  /// Whether it can send tones.
  open var supportsDTMF: Bool {
    get { dtmf ?? false }
    set { dtmf = newValue }
  }
  /// Whether it has video.
  open var hasVideo: Bool {
    get { video ?? false }
    set { video = newValue }
  }

  /// Makes an update that changes nothing.
  public override init() { super.init() }

  /// A copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CXCallUpdate()
    copy.merge(self)
    return copy
  }

  /// Takes over what another update sets.
  package func merge(_ other: CXCallUpdate) {
    remoteHandle = other.remoteHandle ?? remoteHandle
    localizedCallerName = other.localizedCallerName ?? localizedCallerName
    holding = other.holding ?? holding
    grouping = other.grouping ?? grouping
    ungrouping = other.ungrouping ?? ungrouping
    dtmf = other.dtmf ?? dtmf
    video = other.video ?? video
  }
}
