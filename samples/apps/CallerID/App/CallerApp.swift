// The app's entry point. Not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI

  @main
  struct CallerApp: App {
    @State private var model: CallerModel

    init() {
      let model = CallerModel()
      _model = State(initialValue: model)
      let nightly = NightlyUpdate { await model.update() }
      // iOS starts the app in the background for the update, and needs its handler before the launch has ended.
      model.isNightlyScheduled = nightly.register() && nightly.schedule()
    }

    var body: some Scene {
      WindowGroup {
        NavigationStack { CallerScreen(model: model) }
      }
    }
  }

#endif
