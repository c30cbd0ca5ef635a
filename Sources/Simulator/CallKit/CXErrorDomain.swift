// The error domains and codes of CallKit. The numbers of the Call Directory are Apple's documented ones; those of
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
    /// Unknown.
    case unknownError = 0
    /// The app lacks an entitlement.
    case unentitled = 1
    /// An argument is none.
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

  /// Makes an error.
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
    /// Unknown.
    case unknown = 0
    /// The app lacks an entitlement.
    case unentitled = 1
    /// There is a call of that UUID.
    case callUUIDAlreadyExists = 2
    /// The owner does not want to be disturbed.
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

  /// Makes an error.
  public init(code: Code, nsError: NSError) {
    self.code = code
    self.nsError = nsError
  }

  /// Unknown.
  public static var unknown: Code { .unknown }
  /// The app lacks an entitlement.
  public static var unentitled: Code { .unentitled }
  /// There is a call of that UUID.
  public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
  /// The owner does not want to be disturbed.
  public static var filteredByDoNotDisturb: Code { .filteredByDoNotDisturb }
  /// The owner has blocked the caller.
  public static var filteredByBlockList: Code { .filteredByBlockList }
  /// The screen is being shared.
  public static var filteredDuringRestrictedSharingMode: Code { .filteredDuringRestrictedSharingMode }
}

/// Why a transaction is refused.
public struct CXErrorCodeRequestTransactionError: BridgedErrorStruct {
  /// The codes.
  public enum Code: Int, BridgedErrorCode {
    /// The error struct.
    public typealias ErrorStruct = CXErrorCodeRequestTransactionError
    /// Unknown.
    case unknown = 0
    /// The app lacks an entitlement.
    case unentitled = 1
    /// No provider would handle it.
    case unknownCallProvider = 2
    /// There are no actions in it.
    case emptyTransaction = 3
    /// There is no call of that UUID.
    case unknownCallUUID = 4
    /// There is a call of that UUID.
    case callUUIDAlreadyExists = 5
    /// The call can't do that.
    case invalidAction = 6
    /// There are as many calls as the provider wants.
    case maximumCallGroupsReached = 7
  }

  /// The code.
  public let code: Code
  /// The error as an object.
  public let nsError: NSError
  /// The domain.
  public static var errorDomain: String { CXErrorDomainRequestTransaction }

  /// Makes an error.
  public init(code: Code, nsError: NSError) {
    self.code = code
    self.nsError = nsError
  }

  /// Unknown.
  public static var unknown: Code { .unknown }
  /// The app lacks an entitlement.
  public static var unentitled: Code { .unentitled }
  /// No provider would handle it.
  public static var unknownCallProvider: Code { .unknownCallProvider }
  /// There are no actions in it.
  public static var emptyTransaction: Code { .emptyTransaction }
  /// There is no call of that UUID.
  public static var unknownCallUUID: Code { .unknownCallUUID }
  /// There is a call of that UUID.
  public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
  /// The call can't do that.
  public static var invalidAction: Code { .invalidAction }
  /// There are as many calls as the provider wants.
  public static var maximumCallGroupsReached: Code { .maximumCallGroupsReached }
}

/// Why an extension could not be loaded. The text of each case is ours; iOS sends 102 as well, which is not a case, and
/// comes as an `NSError` of the domain.
public struct CXErrorCodeCallDirectoryManagerError: BridgedErrorStruct {
  /// The codes.
  public enum Code: Int, BridgedErrorCode {
    /// The error struct.
    public typealias ErrorStruct = CXErrorCodeCallDirectoryManagerError
    /// Unknown.
    case unknown = 0
    /// There is no such extension.
    case noExtensionFound = 1
    /// The extension ended while it was being loaded.
    case loadingInterrupted = 2
    /// A number is lower than the one before.
    case entriesOutOfOrder = 3
    /// A number is the same as the one before.
    case duplicateEntries = 4
    /// There are too many.
    case maximumEntriesExceeded = 5
    /// The owner has not switched the extension on.
    case extensionDisabled = 6
    /// The extension is being loaded.
    case currentlyLoading = 7
    /// A removal came in a request that is not known to be incremental.
    case unexpectedIncrementalRemoval = 8
  }

  /// The code.
  public let code: Code
  /// The error as an object.
  public let nsError: NSError
  /// The domain.
  public static var errorDomain: String { CXErrorDomainCallDirectoryManager }

  /// Makes an error.
  public init(code: Code, nsError: NSError) {
    self.code = code
    self.nsError = nsError
  }

  /// Unknown.
  public static var unknown: Code { .unknown }
  /// There is no such extension.
  public static var noExtensionFound: Code { .noExtensionFound }
  /// The extension ended while it was being loaded.
  public static var loadingInterrupted: Code { .loadingInterrupted }
  /// A number is lower than the one before.
  public static var entriesOutOfOrder: Code { .entriesOutOfOrder }
  /// A number is the same as the one before.
  public static var duplicateEntries: Code { .duplicateEntries }
  /// There are too many.
  public static var maximumEntriesExceeded: Code { .maximumEntriesExceeded }
  /// The owner has not switched the extension on.
  public static var extensionDisabled: Code { .extensionDisabled }
  /// The extension is being loaded.
  public static var currentlyLoading: Code { .currentlyLoading }
  /// A removal came in a request that is not known to be incremental.
  public static var unexpectedIncrementalRemoval: Code { .unexpectedIncrementalRemoval }
}
