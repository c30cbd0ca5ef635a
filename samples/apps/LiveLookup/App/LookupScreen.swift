// The lookup app's screen: layout only; LookupModel has what it shows. It is not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI

  private let texts = TextCatalog("Lookup")

  /// The screen of Live Caller ID Lookup.
  struct LookupScreen: View {
    @Bindable var model: LookupModel

    @Environment(\.scenePhase) private var phase

    var body: some View {
      Form {
        if let notice = model.notice { section(notice) }
        statusSection
        tokenSection
        serverSection
        DiagnosticsSection { model.diagnostics }
      }
      .navigationTitle(texts("Live Caller ID Lookup"))
      // The user may have been in Settings.
      .onChange(of: phase, initial: true) { model.update() }
    }

    private func section(_ notice: LookupNotice) -> some View {
      Section {
        Label {
          VStack(alignment: .leading) {
            Text(notice.text)
            Text(notice.remedy).font(.subheadline).foregroundStyle(.secondary)
          }
        } icon: {
          Image(systemName: "exclamationmark.triangle").accessibilityHidden(true)
        }
        .accessibilityElement(children: .combine)
        if let action = notice.action, let title = notice.actionTitle {
          Button(title) { Task { await model.follow(action) } }
            .disabled(model.activity != nil)
        }
      }
    }

    private var statusSection: some View {
      Section {
        LabeledContent {
          Label(model.statusText, systemImage: model.statusSymbol)
        } label: {
          Text(texts("Status"))
        }
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(texts("Status"))
        .accessibilityValue(model.statusText)
        Button(texts("Open Settings")) { Task { await model.openSettings() } }
          .disabled(!model.canOpenSettings)
      } footer: {
        Text(model.statusAdvice)
      }
    }

    private var tokenSection: some View {
      Section {
        LabeledContent(texts("Token"), value: model.tokenText)
        SecureField(texts("New Token"), text: $model.token)
        Button(texts("Set Token")) { Task { await model.setToken() } }
          .disabled(!model.canSetToken)
      } header: {
        Text(texts("Account"))
      } footer: {
        Text(texts("The token is from your account with the service. It is not part of a lookup."))
      }
    }

    private var serverSection: some View {
      Section {
        Button(texts("Refresh")) { Task { await model.refresh() } }.disabled(!model.canRefresh)
        Button(texts("Reset"), role: .destructive) { Task { await model.reset() } }
          .disabled(!model.canReset)
        if model.activity != nil {
          HStack {
            // VoiceOver reads the text beside it.
            ProgressView().accessibilityHidden(true)
            Text(model.activityText)
          }
        }
      } header: {
        Text(texts("Server"))
      } footer: {
        Text(
          model.done.isEmpty
            ? texts("Refresh fetches the server’s settings. Reset also removes what iOS has stored.")
            : model.done)
      }
    }
  }

#endif
