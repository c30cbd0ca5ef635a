// The app's screen. Not compiled on Linux. Not for what is shown (CallsModel).

#if canImport(SwiftUI)

  import SwiftUI

  private let texts = TextCatalog("Calls")

  /// The calls, a number to call, the recent calls, and the app's state.
  struct CallsScreen: View {
    @Bindable var model: CallsModel

    var body: some View {
      Form {
        if let problem = model.problem {
          Section {
            StatusLabel(
              text: problem.text, detail: problem.remedy, symbol: "exclamationmark.triangle", color: .orange)
            Button(texts("OK")) { model.dismissProblem() }
          }
        }
        ForEach(model.calls) { row in CallSection(model: model, row: row) }
        Section(texts("New Call")) {
          TextField(texts("Phone number or address"), text: $model.number)
            .textContentType(.telephoneNumber)
          Button(texts("Audio Call"), systemImage: "phone") { Task { await model.call(video: false) } }
            .disabled(!model.canCall)
          Button(texts("Video Call"), systemImage: "video") { Task { await model.call(video: true) } }
            .disabled(!model.canCall)
        }
        if CallsModel.canSimulate {
          Section {
            Button(texts("Simulate Call"), systemImage: "phone.arrow.down.left") {
              Task { await model.simulateCall() }
            }
          }
        }
        Section(texts("Recents")) {
          if let text = model.emptyText { Text(text).foregroundStyle(.secondary) }
          ForEach(model.recents) { row in
            Button {
              Task { await model.call(row) }
            } label: {
              RecentLabel(row: row)
            }
            .disabled(row.handle == nil)
          }
        }
        Section(texts("Status")) {
          StatusLabel(model.pushes)
          StatusLabel(model.names)
          if !model.names.isGood {
            Button(texts("Try Again"), systemImage: "arrow.clockwise") { model.reloadNames() }
          }
        }
        DiagnosticsSection { model.diagnostics }
      }
      .navigationTitle(texts("Calls"))
      .task { await model.follow() }
    }
  }

  /// A call that has not ended, with its buttons. iOS's own screen answers it.
  struct CallSection: View {
    let model: CallsModel
    let row: CallRow

    @State private var showsKeypad = false

    var body: some View {
      Section {
        StatusLabel(
          text: row.name, detail: row.detail, symbol: row.hasVideo ? "video.fill" : "phone.fill",
          color: .green)
        if row.isRinging, model.answersCalls {
          Button(texts("Answer"), systemImage: "phone") { Task { await model.answer(row) } }
        }
        if row.isConnected {
          Button(row.muteText, systemImage: row.isMuted ? "mic" : "mic.slash") {
            Task { await model.toggleMute(row) }
          }
          Button(row.holdText, systemImage: row.isHeld ? "play" : "pause") {
            Task { await model.toggleHold(row) }
          }
          Button(texts("Keypad"), systemImage: "circle.grid.3x3") { showsKeypad = !showsKeypad }
          if showsKeypad {
            ForEach(CallsModel.keys, id: \.self) { keys in
              HStack {
                ForEach(keys, id: \.self) { key in
                  // A row of a form has one button, unless they have a style.
                  Button(key) { Task { await model.press(key, row) } }.buttonStyle(.bordered)
                }
              }
            }
          }
        }
        Button(texts("End"), systemImage: "phone.down", role: .destructive) { Task { await model.end(row) } }
      }
    }
  }

  /// A call that has ended.
  struct RecentLabel: View {
    let row: RecentRow

    var body: some View {
      Label {
        VStack(alignment: .leading) {
          Text(row.name).font(.headline)
          Text(row.detail).font(.subheadline).foregroundStyle(row.isMissed ? Color.red : Color.secondary)
          Text(row.time).font(.footnote).foregroundStyle(.secondary)
        }
      } icon: {
        // The text names the kind of the call: the symbol is not read out.
        Image(systemName: row.hasVideo ? "video" : "phone").accessibilityHidden(true)
      }
      .accessibilityElement(children: .combine)
    }
  }

  /// A text and what it means, with a symbol that repeats it.
  struct StatusLabel: View {
    let text: String
    let detail: String?
    let symbol: String
    let color: Color

    init(text: String, detail: String?, symbol: String, color: Color) {
      self.text = text
      self.detail = detail
      self.symbol = symbol
      self.color = color
    }

    init(_ row: StatusRow) {
      self.init(
        text: row.text, detail: row.detail,
        symbol: row.isGood ? "checkmark.circle" : "exclamationmark.triangle",
        color: row.isGood ? .green : .orange)
    }

    var body: some View {
      Label {
        VStack(alignment: .leading) {
          Text(text)
          if let detail { Text(detail).font(.subheadline).foregroundStyle(.secondary) }
        }
      } icon: {
        Image(systemName: symbol).foregroundStyle(color).accessibilityHidden(true)
      }
      .accessibilityElement(children: .combine)
    }
  }

#endif
