// What happens on the way that is no failure, as data. Only the command layer makes sentences.

public import SystemIO

/// Something about a download that somebody may want to know while it goes on.
public enum DownloadEvent: Sendable {
  /// A transfer failed for a passing reason and is tried again after a wait, from that byte on.
  case retrying(DownloadError, seconds: Double, from: UInt64)
  /// The beginning that an earlier run left is used, so many bytes.
  case resumed(url: String, from: UInt64)
  /// The run fails, and so many bytes stay for `resumes` to go on with.
  case kept(url: String, bytes: UInt64)
  /// Another run is at the same part: this one does not use it and leaves none.
  case partIsLocked(url: String)
  /// The server said that nothing changed, but the cached body is damaged: it is fetched anew.
  case damaged(url: String)
  /// The cache or the part can't be written. The download goes on without.
  case cacheWriteFailed(SystemError)
  /// All that was asked for is what the cache had, and `failsUnchanged` makes that the end.
  case unchanged
}
