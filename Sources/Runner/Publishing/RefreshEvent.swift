// What happens to the sources of a refresh, for messages and reports, and why it ends.

package import Records

/// What happened to a source of a refresh.
package enum RefreshEvent {
  /// The source can't be used, and its last good copy replaces it. `good` is the time of that copy and `now` the start
  /// of the run, in seconds since 1970.
  case usesLastGood(good: Int64, now: Int64, Failure)
  /// The source can't be used, and the run continues without it.
  case leftOut(Failure)
  /// The run fails because of the source.
  case failed(Failure)
  /// The last good copy is damaged and not used.
  case damagedCopy
  /// The bytes that the run used could not be kept as the last good copy.
  case copyNotKept(Failure)
}

/// Why a run fails although it could do without the sources that failed.
package enum RefreshError: ErrorCause, Equatable {
  /// The run would have to read this input again, such as a pipe, which can be read only once.
  case notRepeatable(input: String)

  /// Bad data: that of the sources that failed.
  package var errorClass: ErrorClass { .badData }
  /// False: the input is not at fault.
  package var blamesSource: Bool { false }
}
