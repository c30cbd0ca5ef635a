// The parts of the screen that apps with Call Directory extensions share. Not compiled on Linux. Not for what is shown
// (DirectoryModel).

#if canImport(SwiftUI)

  import SwiftUI

  private let texts = TextCatalog("Directory")

  /// A message with its way out.
  struct NoticeSection: View {
    let model: DirectoryModel
    /// Repeats what was not successful.
    let retry: @MainActor () async -> Void

    var body: some View {
      if let notice = model.notice {
        Section {
          Label {
            VStack(alignment: .leading) {
              Text(notice.text).font(.headline)
              Text(notice.remedy).foregroundStyle(.secondary)
            }
          } icon: {
            Image(systemName: "exclamationmark.triangle").foregroundStyle(.orange).accessibilityHidden(true)
          }
          .accessibilityElement(children: .combine)
          switch notice.action {
          case .retry: Button(texts("Try Again")) { Task { await retry() } }
          case .openSettings: SettingsButton(model: model)
          case nil: EmptyView()
          }
        }
      }
    }
  }

  /// The progress of an update or a load.
  struct ProgressRow: View {
    let progress: DirectoryProgress
    let cancel: @MainActor () -> Void

    var body: some View {
      ProgressView(value: progress.fraction) {
        Text(progress.text)
      } currentValueLabel: {
        Text(progress.remaining ?? "")
      }
      Button(texts("Cancel"), role: .cancel, action: cancel)
    }
  }

  /// The lookup of a number.
  struct LookupSection: View {
    @Bindable var model: DirectoryModel

    var body: some View {
      Section(texts("Look Up a Number")) {
        TextField(texts("Phone number"), text: $model.query)
          .keyboardType(.phonePad)
          .textContentType(.telephoneNumber)
          .onSubmit { model.lookUp() }
        Button(texts("Look Up")) { model.lookUp() }.disabled(model.query.isEmpty)
        if let answer = model.answer {
          LabeledContent(answer.number ?? model.query, value: answer.text)
        }
      }
    }
  }

  /// A row per extension.
  struct ExtensionsSection: View {
    let model: DirectoryModel

    var body: some View {
      Section {
        ForEach(model.rows) { row in ExtensionRow(row: row) }
        SettingsButton(model: model)
      } header: {
        Text(texts("Extensions"))
      } footer: {
        VStack(alignment: .leading) {
          Text(model.summary)
          if let text = model.screeningText { Text(text) }
        }
      }
    }
  }

  /// An extension and its state.
  struct ExtensionRow: View {
    let row: DirectoryRow

    var body: some View {
      Label {
        VStack(alignment: .leading) {
          Text(row.name)
          Text(row.status).font(.subheadline).foregroundStyle(.secondary)
          if let detail = row.detail {
            Text(detail).font(.footnote).foregroundStyle(.secondary)
          }
        }
      } icon: {
        // The text has the same meaning: the symbol is not read out.
        Image(systemName: symbol).foregroundStyle(color).accessibilityHidden(true)
      }
      .accessibilityElement(children: .combine)
    }

    private var symbol: String {
      switch row.state {
      case .loaded: "checkmark.circle"
      case .empty: "circle"
      case .waiting: "clock"
      case .loading: "arrow.down.circle"
      case .off: "minus.circle"
      case .failed: "exclamationmark.triangle"
      }
    }

    private var color: Color {
      switch row.state {
      case .loaded: .green
      case .failed: .orange
      case .off: .red
      case .empty, .waiting, .loading: .secondary
      }
    }
  }

  /// Opens the page of Settings on which extensions are turned on.
  struct SettingsButton: View {
    let model: DirectoryModel

    var body: some View {
      Button(texts("Open Settings"), systemImage: "gear") { Task { await model.openSettings() } }
    }
  }

#endif
