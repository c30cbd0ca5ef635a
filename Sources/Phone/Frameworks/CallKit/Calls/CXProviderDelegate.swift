// The actions that the phone asks a calling app to perform.

public import Foundation

/// Performs the phone's actions. Only `providerDidReset` is required; other methods are optional.
public protocol CXProviderDelegate: NSObjectProtocol {
  /// The phone has ended all calls of the provider; the app must end them, too.
  func providerDidReset(_ provider: CXProvider)
  /// The provider is ready.
  func providerDidBegin(_ provider: CXProvider)
  /// Performs a transaction: return true if the app performs it as a whole, false to receive its actions one by one.
  func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool
  /// Starts a call.
  func provider(_ provider: CXProvider, perform action: CXStartCallAction)
  /// Answers a call.
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
  /// Ends a call.
  func provider(_ provider: CXProvider, perform action: CXEndCallAction)
  /// Holds or resumes a call.
  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
  /// Mutes or unmutes a call.
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
  /// Groups calls.
  func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction)
  /// Plays tones.
  func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction)
  /// An action was not completed in time.
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
  /// The audio session is active: the app may start audio.
  func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)
  /// The audio session is inactive: the app must stop audio.
  func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession)
}

/// Apple's methods are optional. These defaults do what the phone does if a method is missing: an action that is not
/// performed fails.
extension CXProviderDelegate {
  /// Does nothing.
  public func providerDidBegin(_ provider: CXProvider) {}
  /// Requests the actions one by one.
  public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { action.fail() }
  /// Does nothing.
  public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
  /// Does nothing.
  public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {}
  /// Does nothing.
  public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {}
}
