// Queries to a filter, and its responses.

public import Foundation

/// A message from an unknown sender.
open class ILMessageFilterQueryRequest: NSObject, NSSecureCoding {
  /// The sender.
  public let sender: String?
  /// The message's text.
  public let messageBody: String?
  /// The country of the receiver's line, as two letters.
  public let receiverISOCountryCode: String?

  package init(sender: String?, messageBody: String?, receiverISOCountryCode: String?) {
    self.sender = sender
    self.messageBody = messageBody
    self.receiverISOCountryCode = receiverISOCountryCode
    super.init()
  }

  /// Requests support secure coding.
  public static var supportsSecureCoding: Bool { true }

  /// Archives the request.
  open func encode(with coder: NSCoder) {
    coder.encode(sender as NSString?, forKey: "sender")
    coder.encode(messageBody as NSString?, forKey: "messageBody")
    coder.encode(receiverISOCountryCode as NSString?, forKey: "receiverISOCountryCode")
  }

  /// Reads a request from an archive.
  public required init?(coder: NSCoder) {
    sender = coder.decodeObject(of: NSString.self, forKey: "sender") as String?
    messageBody = coder.decodeObject(of: NSString.self, forKey: "messageBody") as String?
    receiverISOCountryCode =
      coder.decodeObject(of: NSString.self, forKey: "receiverISOCountryCode") as String?
    super.init()
  }
}

/// The decision of a filter on a message.
open class ILMessageFilterQueryResponse: NSObject, NSSecureCoding {
  /// The action for the message.
  open var action = ILMessageFilterAction.none
  /// The category within transactions or promotions.
  open var subAction = ILMessageFilterSubAction.none

  /// Creates a response without a decision.
  public override init() { super.init() }

  /// Responses support secure coding.
  public static var supportsSecureCoding: Bool { true }

  /// Archives the response.
  open func encode(with coder: NSCoder) {
    coder.encode(action.rawValue, forKey: "action")
    coder.encode(subAction.rawValue, forKey: "subAction")
  }

  /// Reads a response from an archive.
  public required init?(coder: NSCoder) {
    super.init()
    action = ILMessageFilterAction(rawValue: coder.decodeInteger(forKey: "action")) ?? .none
    subAction = ILMessageFilterSubAction(rawValue: coder.decodeInteger(forKey: "subAction")) ?? .none
  }
}

/// Asks a filter which sub-actions it uses.
open class ILMessageFilterCapabilitiesQueryRequest: NSObject, NSSecureCoding {
  package init(forPhone: Void) { super.init() }

  /// Requests support secure coding.
  public static var supportsSecureCoding: Bool { true }

  /// There is nothing to archive.
  open func encode(with coder: NSCoder) {}

  /// Reads a request from an archive.
  public required init?(coder: NSCoder) { super.init() }
}

/// The sub-actions that a filter uses.
open class ILMessageFilterCapabilitiesQueryResponse: NSObject, NSSecureCoding {
  /// The sub-actions of transactions.
  open var transactionalSubActions: [ILMessageFilterSubAction] = []
  /// The sub-actions of promotions.
  open var promotionalSubActions: [ILMessageFilterSubAction] = []

  /// Creates a response without a decision.
  public override init() { super.init() }

  /// Responses support secure coding.
  public static var supportsSecureCoding: Bool { true }

  /// Archives the response.
  open func encode(with coder: NSCoder) {
    coder.encode(Self.numbers(transactionalSubActions), forKey: "transactionalSubActions")
    coder.encode(Self.numbers(promotionalSubActions), forKey: "promotionalSubActions")
  }

  /// Reads a response from an archive.
  public required init?(coder: NSCoder) {
    super.init()
    transactionalSubActions = Self.subActions(coder, "transactionalSubActions")
    promotionalSubActions = Self.subActions(coder, "promotionalSubActions")
  }

  private static func numbers(_ subActions: [ILMessageFilterSubAction]) -> NSArray {
    NSArray(array: subActions.map { NSNumber(value: $0.rawValue) })
  }

  private static func subActions(_ coder: NSCoder, _ key: String) -> [ILMessageFilterSubAction] {
    let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: key) as? [NSNumber] ?? []
    return numbers.compactMap { ILMessageFilterSubAction(rawValue: $0.intValue) }
  }
}
