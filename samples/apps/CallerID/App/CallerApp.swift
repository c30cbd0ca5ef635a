// The app's entry point. Not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI

  @main
  struct CallerApp: App {
    @State private var model: CallerModel

    init() {
      let model = CallerModel()
      _model = State(initialValue: model)
      // iOS starts the app in the background for an update, and needs its handler before the launch has ended.
      model.schedule = NightlyUpdate { await model.update() }.start()
      FirstUpdate { await model.update() }.start(isNeeded: model.isFirst)
      LongLoad.register()
    }

    var body: some Scene {
      WindowGroup {
        NavigationStack { CallerScreen(model: model) }
      }
      // A store has arrived while the app was not running.
      .backgroundTask(.urlSession(CallerModel.storesIdentifier)) { await model.finishUpdate() }
    }
  }

#endif
