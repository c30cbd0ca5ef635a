// The message filter's screen: layout only; FilterModel has what it shows. It is not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI
  import UIKit

  private let texts = TextCatalog("Filter")

  /// The screen of the message filter.
  struct FilterScreen: View {
    @Bindable var model: FilterModel

    @Environment(\.scenePhase) private var phase
    @Environment(\.openURL) private var openURL

    var body: some View {
      Form {
        if let notice = model.notice { section(notice) }
        Section {
          RowLabel(row: model.rules)
        } header: {
          Text(texts("Rules"))
        } footer: {
          Text(model.undecided)
        }
        if model.hasUpdates { updates }
        trial
        enabling
        DiagnosticsSection { model.diagnostics }
      }
      .navigationTitle(texts("Message Filter"))
      // iOS may have updated the rules while the app was in the background.
      .onChange(of: phase, initial: true) { if phase == .active { Task { await model.start() } } }
    }

    private func section(_ notice: FilterNotice) -> some View {
      Section {
        RowLabel(
          row: FilterRow(
            symbol: "exclamationmark.triangle", title: notice.text, detail: notice.remedy))
        if notice.offersUpdate {
          Button(texts("Update Now")) { Task { await model.update() } }.disabled(!model.canUpdate)
        }
      }
    }

    private var updates: some View {
      Section {
        LabeledContent(texts("Last Update"), value: model.lastUpdate)
        if model.isUpdating {
          HStack {
            // VoiceOver reads the text beside it.
            ProgressView().accessibilityHidden(true)
            Text(model.updateStatus)
            Spacer()
            Button(texts("Cancel"), role: .cancel) { model.cancel() }
          }
        } else {
          Button(texts("Update Now")) { Task { await model.update() } }.disabled(!model.canUpdate)
        }
      } header: {
        Text(texts("Updates"))
      } footer: {
        Text(model.isUpdating || model.updateStatus.isEmpty ? model.nightly : model.updateStatus)
      }
    }

    private var trial: some View {
      Section {
        TextField(texts("Sender"), text: $model.sender)
          .textInputAutocapitalization(.never)
          .autocorrectionDisabled()
        TextField(texts("Message"), text: $model.text, axis: .vertical)
          .lineLimit(2...6)
        if let row = model.trial { RowLabel(row: row) }
      } header: {
        Text(texts("Try a Message"))
      } footer: {
        Text(texts("The message stays on this iPhone."))
      }
    }

    private var enabling: some View {
      Section {
        ForEach(Array(model.steps.enumerated()), id: \.offset) { index, step in
          Label(step, systemImage: "\(index + 1).circle")
            .accessibilityLabel("\(index + 1). \(step)")
        }
        Button(texts("Open Settings")) {
          if let url = URL(string: UIApplication.openSettingsURLString) { openURL(url) }
        }
      } header: {
        Text(texts("Turn On the Filter"))
      } footer: {
        VStack(alignment: .leading) {
          ForEach(model.notes, id: \.self) { note in Text(note) }
        }
      }
    }
  }

  /// A symbol, a title and details, which VoiceOver reads as one.
  private struct RowLabel: View {
    let row: FilterRow

    var body: some View {
      Label {
        VStack(alignment: .leading) {
          Text(row.title)
          if !row.detail.isEmpty {
            Text(row.detail).font(.subheadline).foregroundStyle(.secondary)
          }
        }
      } icon: {
        Image(systemName: row.symbol).accessibilityHidden(true)
      }
      .accessibilityElement(children: .combine)
    }
  }

#endif
