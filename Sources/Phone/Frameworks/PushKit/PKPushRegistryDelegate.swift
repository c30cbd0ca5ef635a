// Receives an app's pushes.

public import Foundation

/// Receives tokens and pushes. Only the method for tokens is required, as in Apple's protocol.
///
/// Apple's older method for pushes, without a completion handler, and the one with metadata of iOS 26.4 are missing here.
public protocol PKPushRegistryDelegate: NSObjectProtocol {
  /// The app is registered: its server sends pushes with this token from now on.
  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)

  /// A push has arrived. Apple: for a push of type `voIP`, this method must call CXProvider's
  /// `reportNewIncomingCall(with:update:completion:)` (documentation of PushKit, iOS 13 SDK), and PushKit checks it when
  /// the method returns. The completion handler has no influence on that (DTS, thread 817976).
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping @Sendable () -> Void)

  /// The token is not valid any more: the app's server must not use it. Apple: the app has nothing else to do.
  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

/// Apple's methods are optional. These defaults do what the phone does if a method is missing: nothing.
extension PKPushRegistryDelegate {
  /// Does nothing, so the phone counts a missed report.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping @Sendable () -> Void
  ) {}

  /// Does nothing.
  public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}
