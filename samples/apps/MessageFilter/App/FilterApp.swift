// The app's entry point. It is not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI

  @main
  struct FilterApp: App {
    @State private var model: FilterModel

    init() {
      let model = FilterModel()
      _model = State(initialValue: model)
      guard model.hasUpdates else { return }
      // iOS starts the app in the background for the update, and needs its handler before the launch has ended.
      model.schedule = NightlyUpdate { await model.update() }.start()
    }

    var body: some Scene {
      WindowGroup {
        NavigationStack { FilterScreen(model: model) }
      }
    }
  }

#endif
