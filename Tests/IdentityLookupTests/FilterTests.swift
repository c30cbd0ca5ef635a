// Message filters, written as for iOS, and where messages are delivered.

import Foundation
import FrameworkServices
import IdentityLookup
import SimulatedPhone
import Synchronization
import Testing

/// A filter with the structure of Apple's template: local rules, then the network.
final class MessageFilterHandler: ILMessageFilterExtension {}

extension MessageFilterHandler: ILMessageFilterQueryHandling, ILMessageFilterCapabilitiesQueryHandling {
  func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext,
    completion: @escaping (ILMessageFilterCapabilitiesQueryResponse) -> Void
  ) {
    let response = ILMessageFilterCapabilitiesQueryResponse()
    response.transactionalSubActions = [.transactionalFinance, .transactionalOrders]
    response.promotionalSubActions = [.promotionalCoupons]
    completion(response)
  }

  func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterQueryResponse) -> Void
  ) {
    let (offlineAction, offlineSubAction) = offlineAction(for: queryRequest)
    switch offlineAction {
    case .allow, .junk, .promotion, .transaction:
      let response = ILMessageFilterQueryResponse()
      response.action = offlineAction
      response.subAction = offlineSubAction
      completion(response)
    case .none:
      context.deferQueryRequestToNetwork { networkResponse, error in
        let response = ILMessageFilterQueryResponse()
        response.action = .none
        if let networkResponse, networkResponse.urlResponse.statusCode == 200,
          String(decoding: networkResponse.data, as: UTF8.self) == "junk"
        {
          response.action = .junk
        } else if let error {
          // Visible to the tests: the error code, as an action.
          response.action = (error as NSError).code == 4 ? .allow : .none
        }
        completion(response)
      }
    @unknown default:
      break
    }
  }

  private func offlineAction(
    for queryRequest: ILMessageFilterQueryRequest
  ) -> (ILMessageFilterAction, ILMessageFilterSubAction) {
    switch queryRequest.messageBody {
    case "win": (.junk, .none)
    case "bank": (.transaction, .transactionalFinance)
    case "parcel": (.transaction, .transactionalReminders)
    case "coupon": (.promotion, .promotionalCoupons)
    default: (.none, .none)
    }
  }
}

/// An asynchronous filter that defers twice.
final class TwiceDeferring: ILMessageFilterExtension, ILMessageFilterQueryHandling {
  func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext
  ) async -> ILMessageFilterQueryResponse {
    let response = ILMessageFilterQueryResponse()
    do {
      _ = try await context.deferQueryRequestToNetwork()
      _ = try await context.deferQueryRequestToNetwork()
    } catch ILMessageFilterError.redundantNetworkDeferral {
      response.action = .promotion
    } catch {
      response.action = .junk
    }
    return response
  }
}

final class HandlesNothing: ILMessageFilterExtension {}

private let url = URL(string: "https://filter.example.com/sms")!
private let settings = MessageFilterSettings(
  networkURL: url, associatedHosts: ["filter.example.com"], appVersion: "1.1")

@Suite("Message filters")
struct FilterTests {
  @Test(
    "a local answer decides where the message goes; sub-actions count if they were declared",
    arguments: [
      ("win", ILMessageFilterAction.junk, ILMessageFilterSubAction.none),
      ("bank", .transaction, .transactionalFinance), ("parcel", .transaction, .none),
      ("coupon", .promotion, .promotionalCoupons),
    ])
  func local(text: String, action: ILMessageFilterAction, subAction: ILMessageFilterSubAction) throws {
    let messages = FrameworkServices(try SimulatedPhone()).messages
    messages.choose(settings) { MessageFilterHandler() }
    #expect(
      messages.declaredSubActions == [.transactionalFinance, .transactionalOrders, .promotionalCoupons])
    let answer = messages.receive(IncomingMessage(from: "+14085550001", text))
    #expect(answer == MessageAnswer(wasAsked: true, action: action, subAction: subAction))
  }

  @Test("a deferred query is sent as Apple documents it, and the filter reads the answer")
  func deferred() throws {
    let messages = FrameworkServices(try SimulatedPhone()).messages
    messages.choose(settings) { MessageFilterHandler() }
    let sent = Mutex<[DeferredQuery]>([])
    messages.setNetwork { query, completion in
      sent.withLock { $0.append(query) }
      completion(.success(DeferredAnswer(status: 200, body: Data("junk".utf8))))
    }
    #expect(messages.receive(IncomingMessage(from: "+14085550001", "This is a message")).action == .junk)
    let query = try #require(sent.withLock { $0 }.first)
    #expect(query.url == url)
    #expect(query.headers["Content-Type"] == "application/json; charset=utf-8")
    #expect(query.headers["Content-Length"] == "\(query.body.count)")
    let text = String(decoding: query.body, as: UTF8.self)
    #expect(
      text
        == #"{"_version":1,"app":{"version":"1.1"},"query":{"message":{"text":"This is a message"},"sender":"14085550001"}}"#
    )
  }

  @Test("a network failure is error 4, with its reason")
  func unreachable() throws {
    let messages = FrameworkServices(try SimulatedPhone()).messages
    messages.choose(settings) { MessageFilterHandler() }
    #expect(messages.receive(IncomingMessage(from: "+14085550001", "hm")).action == .allow)
    messages.setNetwork { _, completion in completion(.failure(URLError(.timedOut))) }
    #expect(messages.receive(IncomingMessage(from: "+14085550001", "hm")).action == .allow)
  }

  @Test(
    "an invalid URL, and one that is not the app's, are refused",
    arguments: [
      MessageFilterSettings(), MessageFilterSettings(networkURL: URL(string: "http://filter.example.com/")),
      MessageFilterSettings(networkURL: url, associatedHosts: ["example.com"]),
    ])
  func refusedURL(_ settings: MessageFilterSettings) throws {
    let messages = FrameworkServices(try SimulatedPhone()).messages
    messages.setNetwork { _, completion in
      Issue.record("the network was asked")
      completion(.failure(URLError(.unknown)))
    }
    messages.choose(settings) { MessageFilterHandler() }
    #expect(messages.receive(IncomingMessage(from: "+14085550001", "hm")).action == .none)
  }

  @Test("a second deferral is error 5")
  func twice() async throws {
    // An hour: the filter's task has to wait until other tests release a thread.
    let messages = FrameworkServices(try SimulatedPhone(), filterWait: .seconds(3600)).messages
    messages.setNetwork { _, completion in completion(.success(DeferredAnswer(status: 200, body: Data()))) }
    messages.choose(settings) { TwiceDeferring() }
    #expect(await messages.receive(IncomingMessage(from: "+14085550001", "hm")).action == .promotion)
  }

  @Test("the filter is not asked about contacts, and not if it handles nothing or does not exist")
  func unasked() throws {
    let services = FrameworkServices(try SimulatedPhone())
    let message = IncomingMessage(from: "+14085550001", "win")
    #expect(!services.messages.receive(message).wasAsked)
    services.messages.choose { HandlesNothing() }
    #expect(!services.messages.receive(message).wasAsked)
    services.messages.choose { MessageFilterHandler() }
    try services.phone.addContact("Ann", "+1 408 555 0001")
    #expect(!services.messages.receive(message).wasAsked)
  }

  @Test("answers survive archiving; raw values are Apple's")
  func values() throws {
    let response = ILMessageFilterQueryResponse()
    response.action = .transaction
    response.subAction = .transactionalPublicServices
    let data = try NSKeyedArchiver.archivedData(withRootObject: response, requiringSecureCoding: true)
    let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: ILMessageFilterQueryResponse.self, from: data)
    #expect(copy?.action == .transaction && copy?.subAction.rawValue == 10_008)
    #expect(ILMessageFilterAction.filter == .junk)
    let error = ILMessageFilterError(.networkURLUnauthorized) as NSError
    #expect(error.domain == "com.apple.IdentityLookup.error.messagefilter" && error.code == 3)
  }
}
