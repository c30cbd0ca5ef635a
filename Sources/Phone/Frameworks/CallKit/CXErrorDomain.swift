// The error domains and codes of CallKit. The codes of the Call Directory are documented by Apple; those of
// transactions and of the general domain are known from use.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import AppExtensions

public let CXErrorDomain = "com.apple.CallKit.error"
public let CXErrorDomainIncomingCall = "com.apple.CallKit.error.incomingcall"
public let CXErrorDomainRequestTransaction = "com.apple.CallKit.error.requesttransaction"
public let CXErrorDomainCallDirectoryManager = "com.apple.CallKit.error.calldirectorymanager"

public typealias CXError = BridgedError<CXErrorCode>

public enum CXErrorCode: Int, BridgedErrorCode {
  case unknownError = 0
  case unentitled = 1
  case invalidArgument = 2
  case missingVoIPBackgroundMode = 3

  public static var errorDomain: String { CXErrorDomain }
}

public typealias CXErrorCodeIncomingCallError = BridgedError<CXErrorCodeIncomingCallErrorCode>

public enum CXErrorCodeIncomingCallErrorCode: Int, BridgedErrorCode {
  case unknown = 0
  case unentitled = 1
  case callUUIDAlreadyExists = 2
  case filteredByDoNotDisturb = 3
  case filteredByBlockList = 4
  case filteredDuringRestrictedSharingMode = 5

  public static var errorDomain: String { CXErrorDomainIncomingCall }
}

extension BridgedError<CXErrorCodeIncomingCallErrorCode> {
  public static var unknown: Code { .unknown }
  public static var unentitled: Code { .unentitled }
  public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
  public static var filteredByDoNotDisturb: Code { .filteredByDoNotDisturb }
  public static var filteredByBlockList: Code { .filteredByBlockList }
  public static var filteredDuringRestrictedSharingMode: Code { .filteredDuringRestrictedSharingMode }
}

public typealias CXErrorCodeRequestTransactionError = BridgedError<CXErrorCodeRequestTransactionErrorCode>

public enum CXErrorCodeRequestTransactionErrorCode: Int, BridgedErrorCode {
  case unknown = 0
  case unentitled = 1
  case unknownCallProvider = 2
  case emptyTransaction = 3
  case unknownCallUUID = 4
  case callUUIDAlreadyExists = 5
  case invalidAction = 6
  case maximumCallGroupsReached = 7

  public static var errorDomain: String { CXErrorDomainRequestTransaction }
}

extension BridgedError<CXErrorCodeRequestTransactionErrorCode> {
  public static var unknown: Code { .unknown }
  public static var unentitled: Code { .unentitled }
  public static var unknownCallProvider: Code { .unknownCallProvider }
  public static var emptyTransaction: Code { .emptyTransaction }
  public static var unknownCallUUID: Code { .unknownCallUUID }
  public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
  public static var invalidAction: Code { .invalidAction }
  public static var maximumCallGroupsReached: Code { .maximumCallGroupsReached }
}

/// Why an extension could not be loaded. iOS also sends 102, which is not a case and arrives as an `NSError` of the
/// domain.
public typealias CXErrorCodeCallDirectoryManagerError = BridgedError<CXErrorCodeCallDirectoryManagerErrorCode>

public enum CXErrorCodeCallDirectoryManagerErrorCode: Int, BridgedErrorCode {
  case unknown = 0
  case noExtensionFound = 1
  case loadingInterrupted = 2
  case entriesOutOfOrder = 3
  case duplicateEntries = 4
  case maximumEntriesExceeded = 5
  case extensionDisabled = 6
  case currentlyLoading = 7
  case unexpectedIncrementalRemoval = 8

  public static var errorDomain: String { CXErrorDomainCallDirectoryManager }
}

extension BridgedError<CXErrorCodeCallDirectoryManagerErrorCode> {
  public static var unknown: Code { .unknown }
  public static var noExtensionFound: Code { .noExtensionFound }
  public static var loadingInterrupted: Code { .loadingInterrupted }
  public static var entriesOutOfOrder: Code { .entriesOutOfOrder }
  public static var duplicateEntries: Code { .duplicateEntries }
  public static var maximumEntriesExceeded: Code { .maximumEntriesExceeded }
  public static var extensionDisabled: Code { .extensionDisabled }
  public static var currentlyLoading: Code { .currentlyLoading }
  public static var unexpectedIncrementalRemoval: Code { .unexpectedIncrementalRemoval }
}
