// What becomes of a push for a call.

/// Why an app was terminated after a push.
public enum PushMiss: Sendable, Equatable {
  /// The delegate returned, and no call had been reported. PushKit raises an exception: "Killing app because it never
  /// posted an incoming call to the system after receiving a PushKit VoIP push."
  case returnedWithoutReport
  /// The registry has no delegate, or the delegate did not return, and no call was reported in time. iOS ends the
  /// process with the code 0xbaadca11.
  case notReportedInTime
}

/// What became of a push for a call.
public enum PushOutcome: Sendable, Equatable {
  /// The app reported a call, whether or not the phone showed it.
  case reported
  /// The app reported no call, and did not have to: it is in the foreground, or has a call.
  case notRequired
  /// The phone terminated the app, because it reported no call.
  case terminated(PushMiss)
  /// The phone did not pass the push to the app, because the app missed too many reports.
  case withheld
  /// The app is not registered for pushes.
  case notRegistered
}

/// Why Apple's server refuses a push.
public enum PushRequestError: Error, Equatable, Sendable {
  /// The payload is not a JSON object.
  case notAnObject
  /// The payload has more than ``SimulatedPushes/payloadBytesMax`` bytes.
  case payloadTooLarge(bytes: Int)
}
