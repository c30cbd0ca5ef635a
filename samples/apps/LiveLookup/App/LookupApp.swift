// The app's only screen: settings. It is not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI

  @main
  struct LookupApp: App {
    var body: some Scene {
      WindowGroup {
        if let control = LookupControl() {
          LookupSettings(control: control)
        } else {
          Text("The app group, or the extension's identifier in Info.plist, is missing.")
        }
      }
    }
  }

  struct LookupSettings: View {
    let control: LookupControl

    @Environment(\.scenePhase) private var phase
    @State private var isEnabled = false
    @State private var isBusy = false
    @State private var token = ""
    @State private var message = ""

    var body: some View {
      Form {
        Section("Live Caller ID Lookup") {
          LabeledContent("Status", value: isEnabled ? "On" : "Off in Settings")
          Button("Settings") { act("") { try await control.openSettings() } }
        }
        Section("Server") {
          SecureField("User token (Base64)", text: $token)
          Button("Set the token") { act("The token is set.") { try await control.use(token: token) } }
            .disabled(token.isEmpty)
          Button("Refresh") { act("The parameters are refreshed.") { try await control.refreshParameters() } }
          Button("Reset", role: .destructive) { act("The cache is empty.") { try await control.reset() } }
        }
        Text(message)
      }
      .disabled(isBusy)
      // The owner may have been in Settings.
      .onChange(of: phase, initial: true) { isEnabled = control.isEnabled }
    }

    private func act(_ done: String, _ action: @escaping () async throws -> Void) {
      isBusy = true
      Task {
        do {
          try await action()
          message = done
        } catch UserTokenError.notBase64 {
          message = "The token is not in Base64."
        } catch {
          message = error.localizedDescription
        }
        isEnabled = control.isEnabled
        isBusy = false
      }
    }
  }

#endif
