// Apple's Call Directory classes on the simulated phone.

import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import Synchronization
import TemplateHandler
import Testing

private let name = "com.example.app.directory"

/// Records the failure that it is notified of.
///
/// `@unchecked Sendable`: its properties are, and its base class has no state.
final class FailingHandler: CXCallDirectoryProvider, CXCallDirectoryExtensionContextDelegate,
  @unchecked Sendable
{
  let notified = OneAnswer<(code: Int, isOtherThread: Bool)>()
  let expired = OneAnswer<Bool>()
  private let thread = Mutex<ObjectIdentifier?>(nil)

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    thread.withLock { $0 = ObjectIdentifier(Thread.current) }
    context.addBlockingEntry(withNextSequentialPhoneNumber: 2)
    context.addBlockingEntry(withNextSequentialPhoneNumber: 2)
    context.completeRequest { self.expired.give($0) }
  }

  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    let own = thread.withLock { $0 }
    notified.give(((error as NSError).code, ObjectIdentifier(Thread.current) != own))
  }
}

/// Completes its request later, on another thread, with the asynchronous call.
final class AsynchronousHandler: CXCallDirectoryProvider {
  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    nonisolated(unsafe) let context = context
    Task {
      unsafe context.addBlockingEntry(withNextSequentialPhoneNumber: 15_550_100)
      let hasExpired = unsafe await context.completeRequest()
      #expect(!hasExpired)
    }
  }
}

extension OnePhone {
  @Suite("Call Directory classes")
  struct DirectoryTests {
    @Test("a handler from the template loads in full, then its changes")
    func template() async throws {
      let services = FrameworkServices(try SimulatedPhone())
      services.install()
      defer { services.uninstall() }
      try services.phone.install(name, .handler { makeTemplateHandler() })
      let manager = CXCallDirectoryManager.sharedInstance
      #expect(try await manager.enabledStatusForExtension(withIdentifier: name) == .disabled)
      #expect(services.phone.switchOn(name).isSuccess)
      #expect(try await manager.enabledStatusForExtension(withIdentifier: name) == .enabled)
      let blocked = IncomingCall(from: "+1 800 555 5555")
      #expect(try services.phone.answer(blocked) == .blocked(by: .extension(name)))
      #expect(
        try services.phone.answer(IncomingCall(from: "1-888-555-5555"))
          == .identified(label: "Local business", by: name))
      try await manager.reloadExtension(withIdentifier: name)
      #expect(try services.phone.answer(blocked) == .unknown)
      #expect(
        try services.phone.answer(IncomingCall(from: "408-555-5678"))
          == .identified(label: "New local business", by: name))
      #expect(try services.phone.entryCounts(name) == EntryCounts(blocking: 2, identification: 2))
      try await manager.openSettings()
      #expect(services.settingsOpenings == 1)
    }

    @Test("errors have Apple's domain and code, as a struct and as an object")
    func errors() async throws {
      let services = FrameworkServices(try SimulatedPhone())
      services.install()
      defer { services.uninstall() }
      let manager = CXCallDirectoryManager.sharedInstance
      await #expect(throws: CXErrorCodeCallDirectoryManagerError(.noExtensionFound)) {
        try await manager.reloadExtension(withIdentifier: name)
      }
      try services.phone.install(name, .handler { makeTemplateHandler() })
      let answer = OneAnswer<NSError?>()
      manager.reloadExtension(withIdentifier: name) { answer.give($0 as NSError?) }
      let error = try #require(answer.wait())
      #expect(error.domain == CXErrorDomainCallDirectoryManager && error.code == 6)
      do {
        try await manager.reloadExtension(withIdentifier: name)
      } catch CXErrorCodeCallDirectoryManagerError.extensionDisabled {
      } catch {
        Issue.record(error)
      }
      try services.phone.makeUnavailable(name)
      do {
        try await manager.reloadExtension(withIdentifier: name)
        Issue.record("an extension that is unavailable was loaded")
      } catch {
        #expect((error as NSError).code == 102 && !(error is CXErrorCodeCallDirectoryManagerError))
      }
      await #expect(throws: CXErrorCodeCallDirectoryManagerError(.noExtensionFound)) {
        try await manager.enabledStatusForExtension(withIdentifier: "nobody")
      }
      #expect(CXCallDirectoryPhoneNumberMax == 9_223_372_036_854_775_806)
    }

    @Test("the delegate is called on another thread, and completion reports expired")
    func requestFailed() throws {
      let phone = try SimulatedPhone()
      let handler = FailingHandler()
      try phone.install(name, .handler { handler })
      #expect(phone.switchOn(name).failure == .directory(.duplicateEntries))
      let notified = try #require(handler.notified.present)
      #expect(notified.code == 4 && notified.isOtherThread)
      #expect(handler.expired.wait())
    }

    @Test("a request may be completed later, from another thread")
    func asynchronous() throws {
      let phone = try SimulatedPhone()
      try phone.install(name, .handler { AsynchronousHandler() })
      #expect(phone.switchOn(name).isSuccess)
      #expect(try phone.entryCounts(name) == EntryCounts(blocking: 1))
    }

    @Test("without a phone, everything is an unknown error")
    func noPhone() async throws {
      // Replaces a phone that an earlier test has not removed yet, and leaves none.
      let services = FrameworkServices(try SimulatedPhone())
      services.install()
      services.uninstall()
      await #expect(throws: CXErrorCodeCallDirectoryManagerError(.unknown)) {
        try await CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: name)
      }
      await #expect(throws: CXErrorCodeCallDirectoryManagerError(.unknown)) {
        try await CXCallDirectoryManager.sharedInstance.openSettings()
      }
    }

    @Test("a phone that is removed late, when another has replaced it, does not remove that one")
    func removedLate() async throws {
      let (first, second) = (FrameworkServices(try SimulatedPhone()), FrameworkServices(try SimulatedPhone()))
      first.install()
      second.install()
      defer { second.uninstall() }
      first.uninstall()
      try await CXCallDirectoryManager.sharedInstance.openSettings()
      #expect(first.settingsOpenings == 0 && second.settingsOpenings == 1)
    }

    @Test("an app group has a folder if there is a phone, and none otherwise")
    func appGroups() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cdpipe-\(UUID())")
      defer { try? FileManager.default.removeItem(at: folder) }
      #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.example") == nil)
      FrameworkServices.setAppGroups(in: folder)
      defer { FrameworkServices.setAppGroups(in: nil) }
      let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.example")
      #expect(container?.lastPathComponent == "group.example")
      #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "../up") == nil)
    }
  }
}
