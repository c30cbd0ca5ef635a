// The error domains and codes of CallKit. The codes of the Call Directory are documented by Apple; those of
// transactions and of the general domain are known from use.

public import AppExtensions
public import Foundation

/// The general domain.
public let CXErrorDomain = "com.apple.CallKit.error"
/// The domain of incoming calls.
public let CXErrorDomainIncomingCall = "com.apple.CallKit.error.incomingcall"
/// The domain of requested transactions.
public let CXErrorDomainRequestTransaction = "com.apple.CallKit.error.requesttransaction"
/// The domain of the Call Directory.
public let CXErrorDomainCallDirectoryManager = "com.apple.CallKit.error.calldirectorymanager"

/// An error of the general domain.
public struct CXError: BridgedErrorStruct {
  /// The codes.
  public enum Code: Int, BridgedErrorCode {
    /// The error struct.
    public typealias ErrorStruct = CXError
    /// An unknown error.
    case unknownError = 0
    /// The app lacks an entitlement.
    case unentitled = 1
    /// An argument is invalid.
    case invalidArgument = 2
    /// The app lacks the background mode for calls.
    case missingVoIPBackgroundMode = 3
  }

  /// The code.
  public let code: Code
  /// The error as an object.
  public let nsError: NSError
  /// The domain.
  public static var errorDomain: String { CXErrorDomain }

  /// Creates an error.
  public init(code: Code, nsError: NSError) {
    self.code = code
    self.nsError = nsError
  }
}

/// Why an incoming call is not shown.
public struct CXErrorCodeIncomingCallError: BridgedErrorStruct {
  /// The codes.
  public enum Code: Int, BridgedErrorCode {
    /// The error struct.
    public typealias ErrorStruct = CXErrorCodeIncomingCallError
    /// An unknown error.
    case unknown = 0
    /// The app lacks an entitlement.
    case unentitled = 1
    /// A call with this UUID exists already.
    case callUUIDAlreadyExists = 2
    /// Do Not Disturb is on.
    case filteredByDoNotDisturb = 3
    /// The owner has blocked the caller.
    case filteredByBlockList = 4
    /// The screen is being shared.
    case filteredDuringRestrictedSharingMode = 5
  }

  /// The code.
  public let code: Code
  /// The error as an object.
  public let nsError: NSError
  /// The domain.
  public static var errorDomain: String { CXErrorDomainIncomingCall }

  /// Creates an error.
  public init(code: Code, nsError: NSError) {
    self.code = code
    self.nsError = nsError
  }

  /// An unknown error.
  public static var unknown: Code { .unknown }
  /// The app lacks an entitlement.
  public static var unentitled: Code { .unentitled }
  /// A call with this UUID exists already.
  public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
  /// Do Not Disturb is on.
  public static var filteredByDoNotDisturb: Code { .filteredByDoNotDisturb }
  /// The owner has blocked the caller.
  public static var filteredByBlockList: Code { .filteredByBlockList }
  /// The screen is being shared.
  public static var filteredDuringRestrictedSharingMode: Code { .filteredDuringRestrictedSharingMode }
}

/// Why a transaction is rejected.
public struct CXErrorCodeRequestTransactionError: BridgedErrorStruct {
  /// The codes.
  public enum Code: Int, BridgedErrorCode {
    /// The error struct.
    public typealias ErrorStruct = CXErrorCodeRequestTransactionError
    /// An unknown error.
    case unknown = 0
    /// The app lacks an entitlement.
    case unentitled = 1
    /// No provider can handle the transaction.
    case unknownCallProvider = 2
    /// The transaction has no actions.
    case emptyTransaction = 3
    /// No call with this UUID exists.
    case unknownCallUUID = 4
    /// A call with this UUID exists already.
    case callUUIDAlreadyExists = 5
    /// The call does not support the action.
    case invalidAction = 6
    /// The provider's maximum number of call groups is reached.
    case maximumCallGroupsReached = 7
  }

  /// The code.
  public let code: Code
  /// The error as an object.
  public let nsError: NSError
  /// The domain.
  public static var errorDomain: String { CXErrorDomainRequestTransaction }

  /// Creates an error.
  public init(code: Code, nsError: NSError) {
    self.code = code
    self.nsError = nsError
  }

  /// An unknown error.
  public static var unknown: Code { .unknown }
  /// The app lacks an entitlement.
  public static var unentitled: Code { .unentitled }
  /// No provider can handle the transaction.
  public static var unknownCallProvider: Code { .unknownCallProvider }
  /// The transaction has no actions.
  public static var emptyTransaction: Code { .emptyTransaction }
  /// No call with this UUID exists.
  public static var unknownCallUUID: Code { .unknownCallUUID }
  /// A call with this UUID exists already.
  public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
  /// The call does not support the action.
  public static var invalidAction: Code { .invalidAction }
  /// The provider's maximum number of call groups is reached.
  public static var maximumCallGroupsReached: Code { .maximumCallGroupsReached }
}

/// Why an extension could not be loaded. iOS also sends 102, which is not a case and arrives as an `NSError` of the
/// domain.
public struct CXErrorCodeCallDirectoryManagerError: BridgedErrorStruct {
  /// The codes.
  public enum Code: Int, BridgedErrorCode {
    /// The error struct.
    public typealias ErrorStruct = CXErrorCodeCallDirectoryManagerError
    /// An unknown error.
    case unknown = 0
    /// The extension does not exist.
    case noExtensionFound = 1
    /// The extension's process ended during the load.
    case loadingInterrupted = 2
    /// A number is lower than the previous one.
    case entriesOutOfOrder = 3
    /// A number equals the previous one.
    case duplicateEntries = 4
    /// The request has too many entries.
    case maximumEntriesExceeded = 5
    /// The owner has not enabled the extension.
    case extensionDisabled = 6
    /// The extension is already being loaded.
    case currentlyLoading = 7
    /// An entry was removed in a request that is not incremental.
    case unexpectedIncrementalRemoval = 8
  }

  /// The code.
  public let code: Code
  /// The error as an object.
  public let nsError: NSError
  /// The domain.
  public static var errorDomain: String { CXErrorDomainCallDirectoryManager }

  /// Creates an error.
  public init(code: Code, nsError: NSError) {
    self.code = code
    self.nsError = nsError
  }

  /// An unknown error.
  public static var unknown: Code { .unknown }
  /// The extension does not exist.
  public static var noExtensionFound: Code { .noExtensionFound }
  /// The extension's process ended during the load.
  public static var loadingInterrupted: Code { .loadingInterrupted }
  /// A number is lower than the previous one.
  public static var entriesOutOfOrder: Code { .entriesOutOfOrder }
  /// A number equals the previous one.
  public static var duplicateEntries: Code { .duplicateEntries }
  /// The request has too many entries.
  public static var maximumEntriesExceeded: Code { .maximumEntriesExceeded }
  /// The owner has not enabled the extension.
  public static var extensionDisabled: Code { .extensionDisabled }
  /// The extension is already being loaded.
  public static var currentlyLoading: Code { .currentlyLoading }
  /// An entry was removed in a request that is not incremental.
  public static var unexpectedIncrementalRemoval: Code { .unexpectedIncrementalRemoval }
}
