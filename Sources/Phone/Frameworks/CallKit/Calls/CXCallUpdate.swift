// A provider's description of a call.

public import Foundation

/// Changes to a call's properties. Properties that are not set stay unchanged.
open class CXCallUpdate: NSObject, NSCopying {
  package private(set) var holding: Bool?
  package private(set) var grouping: Bool?
  package private(set) var ungrouping: Bool?
  package private(set) var dtmf: Bool?
  package private(set) var video: Bool?

  /// The number or address of the other side.
  open var remoteHandle: CXHandle?
  /// The name to show instead of the one that the phone would find.
  open var localizedCallerName: String?
  /// Whether the call can be held.
  open var supportsHolding: Bool {
    get { holding ?? false }
    set { holding = newValue }
  }
  /// Whether the call can be added to a group.
  open var supportsGrouping: Bool {
    get { grouping ?? false }
    set { grouping = newValue }
  }
  /// Whether the call can be removed from a group.
  open var supportsUngrouping: Bool {
    get { ungrouping ?? false }
    set { ungrouping = newValue }
  }
  /// Whether the call can send tones.
  open var supportsDTMF: Bool {
    get { dtmf ?? false }
    set { dtmf = newValue }
  }
  /// Whether the call has video.
  open var hasVideo: Bool {
    get { video ?? false }
    set { video = newValue }
  }

  /// Creates an update that changes nothing.
  public override init() { super.init() }

  /// Returns a copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CXCallUpdate()
    copy.merge(self)
    return copy
  }

  /// Applies the properties that another update sets.
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
