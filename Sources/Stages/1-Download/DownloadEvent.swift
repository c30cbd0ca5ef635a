// Events during a download that are not failures, as data.

package import SystemIO

/// An event during a download.
package enum DownloadEvent: Sendable {
  /// A transfer failed temporarily; it is retried after a wait, from the given byte on.
  case retrying(DownloadError, seconds: Double, from: UInt64)
  /// The download resumes after the bytes of an earlier run.
  case resumed(url: String, from: UInt64)
  /// The run fails, and this many bytes are kept for `resumes`.
  case kept(url: String, bytes: UInt64)
  /// Another run has locked the part: this one neither uses nor keeps a part.
  case partIsLocked(url: String)
  /// The server reported no change, but the cached body is damaged: it is fetched again.
  case damaged(url: String)
  /// The cache or the part can't be written. The download continues without it.
  case cacheWriteFailed(SystemError)
  /// All resources are unchanged, and `failsUnchanged` ends the run.
  case unchanged
}
