// What the phone asks of an app that makes calls.

public import Foundation

/// Does what the phone asks. Only `providerDidReset` must be there; what is missing counts as not implemented.
public protocol CXProviderDelegate: NSObjectProtocol {
  /// The phone has ended all calls of the provider; so is the app to do.
  func providerDidReset(_ provider: CXProvider)
  /// The provider may be used.
  func providerDidBegin(_ provider: CXProvider)
  /// A transaction is to be done; true when the app does it as a whole, false to be asked action by action.
  func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool
  /// Start a call.
  func provider(_ provider: CXProvider, perform action: CXStartCallAction)
  /// Answer a call.
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
  /// End a call.
  func provider(_ provider: CXProvider, perform action: CXEndCallAction)
  /// Hold a call, or go on with it.
  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
  /// Mute a call, or unmute it.
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
  /// Group calls.
  func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction)
  /// Play tones.
  func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction)
  /// An action was not completed in time.
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
  /// Sound may begin.
  func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)
  /// Sound is to end.
  func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession)
}

/// Apple's methods are optional; here each does what the phone does when it is missing: an action that nobody performs
/// fails.
extension CXProviderDelegate {
  /// Nothing.
  public func providerDidBegin(_ provider: CXProvider) {}
  /// Action by action.
  public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }
  /// Fails.
  public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fail() }
  /// Fails.
  public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fail() }
  /// Fails.
  public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fail() }
  /// Fails.
  public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fail() }
  /// Fails.
  public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { action.fail() }
  /// Fails.
  public func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { action.fail() }
  /// Fails.
  public func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { action.fail() }
  /// Nothing.
  public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
  /// Nothing.
  public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {}
  /// Nothing.
  public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {}
}
