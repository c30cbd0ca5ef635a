// A message filter from the first start on: the rules in its bundle, updates from a server, messages on the phone.

import Foundation
import FoundationNetworking
import FrameworkServices
import IdentityLookup
import SampleShared
import SimulatedPhone
import Testing

@testable import MessageFilter

@Suite("A message filter's life")
@MainActor
struct FilterScenarioTests {
  /// Chooses the filter in Settings. Like iOS, the phone creates it for each message.
  private func choose(_ scene: FilterAppScene) throws -> SimulatedMessages {
    let messages = FrameworkServices(try SimulatedPhone()).messages
    let folders = scene.folders
    messages.choose(
      MessageFilterSettings(
        networkURL: URL(string: "https://filter.example.com/message-filter"),
        associatedHosts: ["filter.example.com"])
    ) { MessageFilterExtension(rules: InstalledRules(in: folders).rules) }
    return messages
  }

  /// The filter's answer to a message; the app's own answer must be the same.
  private func answer(
    _ text: String, _ messages: SimulatedMessages, _ model: FilterModel,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> ILMessageFilterAction {
    model.text = text
    let answer: MessageAnswer = messages.receive(IncomingMessage(from: "+8613900139000", text))
    if answer.action == .junk, model.trial?.title != "The server is asked" {
      #expect(model.trial?.title == "Junk", sourceLocation: sourceLocation)
    }
    return answer.action
  }

  @Test("rules in the bundle, new rules, damaged rules, and the server for the rest")
  func life() async throws {
    let scene = try FilterAppScene()
    let messages = try choose(scene)
    let model = scene.model(updater: scene.update(), host: "filter.example.com")
    let asked = Notes()
    messages.setNetwork { query, completion in
      asked.add(query.url.absoluteString)
      completion(.success(DeferredAnswer(status: 200, body: Data(#"{"action":"promotion"}"#.utf8))))
    }
    // The first start: the rules in the bundle; the rest is left to the server.
    #expect(answer("casino", messages, model) == .junk)
    #expect(answer("a loan", messages, model) == .promotion)
    #expect(model.trial?.title == "The server is asked")
    #expect(asked.all == ["https://filter.example.com/message-filter"])
    // The update: the filter uses the new rules without the app.
    scene.server.serve(try scene.junk("casino", "loan"), tag: "\"1\"")
    #expect(await model.update())
    #expect(answer("a loan", messages, model) == .junk)
    #expect(asked.all.count == 1)
    // Damaged rules and a dead server change nothing.
    scene.server.serve(Data("<html></html>".utf8), tag: "\"2\"")
    #expect(await model.update() == false)
    #expect(model.notice?.text == "The server sent rules that are damaged.")
    scene.server.set(.error(URLError(.notConnectedToInternet)))
    #expect(await model.update() == false)
    #expect(answer("a loan", messages, model) == .junk && model.rules.title == "2 rules")
    // The next good ones are used.
    scene.server.serve(try scene.junk("lottery"), tag: "\"3\"")
    #expect(await model.update())
    #expect(answer("lottery", messages, model) == .junk && answer("a loan", messages, model) == .promotion)
    // The downloaded file is destroyed: the filter falls back to its bundle.
    try Data().write(to: scene.group.appending(path: RulesFolders.fileName))
    model.refresh()
    #expect(answer("casino", messages, model) == .junk && answer("lottery", messages, model) == .promotion)
    #expect(model.notice?.offersUpdate == true)
    #expect(await model.update())
    #expect(answer("lottery", messages, model) == .junk && model.notice == nil)
  }

  @Test("the filter declares the sub-actions of the new rules when it is chosen again")
  func subActions() async throws {
    let scene = try FilterAppScene()
    #expect(try choose(scene).declaredSubActions.isEmpty)
    scene.server.serve(
      try scene.compile(
        "rules: [{ action: promotion, sub-action: promotionalCoupons, when: { body: { contains: [x] } } }]\n")
    )
    await scene.model(updater: scene.update()).update()
    #expect(try choose(scene).declaredSubActions == [.promotionalCoupons])
  }
}

extension SampleApps {
  @Suite("A message filter's nightly update")
  @MainActor
  struct FilterNightTests {
    private static let identifier = "com.example.filter.update"

    @Test("iOS updates the rules at night; without a network, the next night does")
    func nights() async throws {
      let services = FrameworkServices(try SimulatedPhone())
      services.install()
      defer { services.uninstall() }
      services.backgroundTasks.permit([Self.identifier])
      let scene = try FilterAppScene()
      let model = scene.model(updater: scene.update())
      let nightly = NightlyUpdate(identifier: Self.identifier) { await model.update() }
      #expect(nightly.start() == .scheduled)
      scene.server.set(.error(URLError(.notConnectedToInternet)))
      let first = try #require(services.backgroundTasks.start(Self.identifier))
      #expect(await first.success() == false)
      scene.server.serve(try scene.junk("loan"))
      let second = try #require(services.backgroundTasks.start(Self.identifier))
      #expect(await second.success())
      model.text = "a loan"
      #expect(model.trial?.title == "Junk" && model.notice == nil)
    }

    @Test("iOS ends the update when its time has run out")
    func expired() async throws {
      let services = FrameworkServices(try SimulatedPhone())
      services.install()
      defer { services.uninstall() }
      services.backgroundTasks.permit([Self.identifier])
      let scene = try FilterAppScene()
      scene.server.set(.silence)
      let model = scene.model(updater: scene.update())
      let nightly = NightlyUpdate(identifier: Self.identifier) { await model.update() }
      #expect(nightly.start() == .scheduled)
      let task = try #require(services.backgroundTasks.start(Self.identifier))
      await waitUntil("the server is asked") { !scene.server.requests.isEmpty }
      task.expire()
      #expect(await task.success() == false)
      await waitUntil("the update has ended") { !model.isUpdating }
      #expect(model.notice == nil && model.rules.detail == "Came with the app")
    }
  }
}
