// The entry point of an app with three parts: callers, messages and Live Caller ID Lookup. Not compiled on Linux.
//
// In a project that `cdpipe scaffold --kind all` wrote, the parts' own sources are in the same target.

#if canImport(SwiftUI)

  import SwiftUI

  @main
  struct AllInOneApp: App {
    @State private var callers: CallerModel
    @State private var filter: FilterModel
    @State private var lookup = LookupModel(LookupControl())

    init() {
      let callers = CallerModel()
      let filter = FilterModel()
      _callers = State(initialValue: callers)
      _filter = State(initialValue: filter)
      let nightly = NightlyUpdate {
        async let list = callers.update()
        let rules = await filter.hasUpdates ? filter.update() : true
        return await list && rules
      }
      // iOS starts the app in the background for an update, and needs its handler before the launch has ended.
      let schedule = nightly.start()
      callers.schedule = schedule
      filter.schedule = schedule
      FirstUpdate { await callers.update() }.start(isNeeded: callers.isFirst)
      LongLoad.register()
    }

    var body: some Scene {
      WindowGroup {
        TabView {
          ForEach(AppTab.allCases, id: \.self) { tab in
            NavigationStack { screen(of: tab) }
              .tabItem { Label(tab.title, systemImage: tab.symbol) }
          }
        }
      }
      // A store has arrived while the app was not running.
      .backgroundTask(.urlSession(CallerModel.storesIdentifier)) { await callers.finishUpdate() }
    }

    @ViewBuilder
    private func screen(of tab: AppTab) -> some View {
      switch tab {
      case .callers: CallerScreen(model: callers)
      case .messages: FilterScreen(model: filter)
      case .lookup: LookupScreen(model: lookup)
      }
    }
  }

#endif
