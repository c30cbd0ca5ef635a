// The scheme of an app, and the settings of a workspace that has no scheme for each extension.

extension XcodeProject {
  /// The name of the file with the settings of the workspace inside the .xcodeproj.
  static let workspaceSettingsName = "WorkspaceSettings.xcsettings"
  /// Its text: Xcode makes no schemes.
  static let workspaceSettings =
    PropertyValue.keys([("IDEWorkspaceSharedSettings_AutocreateContextsIfNeeded", .truth(false))]).xml

  /// The folder of the settings of the workspace inside the .xcodeproj that everyone shares.
  var workspaceFolder: String { "\(name).xcodeproj/project.xcworkspace/xcshareddata" }

  /// How a scheme refers to the app.
  private func appReference(_ objects: ProjectObjects, indent: Int) -> String {
    let lines = [
      "<BuildableReference",
      "   BuildableIdentifier = \"primary\"",
      "   BlueprintIdentifier = \"\(objects.digits("target \(name)"))\"",
      "   BuildableName = \"\(app.product.file(name))\"",
      "   BlueprintName = \"\(name)\"",
      "   ReferencedContainer = \"container:\(name).xcodeproj\">",
      "</BuildableReference>",
    ]
    return indented(lines, by: indent).joined(separator: "\n")
  }

  /// The scheme that builds, runs and archives the app.
  func scheme(_ objects: ProjectObjects) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <Scheme
       LastUpgradeVersion = "1600"
       version = "1.7">
       <BuildAction
          parallelizeBuildables = "YES"
          buildImplicitDependencies = "YES">
          <BuildActionEntries>
             <BuildActionEntry
                buildForTesting = "YES"
                buildForRunning = "YES"
                buildForProfiling = "YES"
                buildForArchiving = "YES"
                buildForAnalyzing = "YES">
    \(appReference(objects, indent: 12))
             </BuildActionEntry>
          </BuildActionEntries>
       </BuildAction>
       <LaunchAction
          buildConfiguration = "Debug"
          selectedDebuggerIdentifier = "Xcode.DebuggerFoundation.Debugger.LLDB"
          selectedLauncherIdentifier = "Xcode.DebuggerFoundation.Launcher.LLDB"
          launchStyle = "0"
          useCustomWorkingDirectory = "NO"
          ignoresPersistentStateOnLaunch = "NO"
          debugDocumentVersioning = "YES"
          debugServiceExtension = "internal"
          allowLocationSimulation = "YES">
          <BuildableProductRunnable
             runnableDebuggingMode = "0">
    \(appReference(objects, indent: 9))
          </BuildableProductRunnable>
       </LaunchAction>
       <ProfileAction
          buildConfiguration = "Release"
          shouldUseLaunchSchemeArgsEnv = "YES"
          savedToolIdentifier = ""
          useCustomWorkingDirectory = "NO"
          debugDocumentVersioning = "YES">
          <BuildableProductRunnable
             runnableDebuggingMode = "0">
    \(appReference(objects, indent: 9))
          </BuildableProductRunnable>
       </ProfileAction>
       <AnalyzeAction
          buildConfiguration = "Debug">
       </AnalyzeAction>
       <ArchiveAction
          buildConfiguration = "Release"
          revealArchiveInOrganizer = "YES">
       </ArchiveAction>
    </Scheme>

    """
  }
}

extension XcodeProduct {
  /// The product's file name.
  func file(_ name: String) -> String { name + (self == .app ? ".app" : ".appex") }

  /// Xcode's type of the product's file.
  var fileType: String {
    switch self {
    case .app: "wrapper.application"
    case .appExtension: "wrapper.app-extension"
    case .extensionKitExtension: "wrapper.extensionkit-extension"
    }
  }

  /// Xcode's identifier of the product.
  var identifier: String {
    switch self {
    case .app: "com.apple.product-type.application"
    case .appExtension: "com.apple.product-type.app-extension"
    case .extensionKitExtension: "com.apple.product-type.extensionkit-extension"
    }
  }

  /// Xcode's name of the build phase that copies the product into the app; that of an app is not used.
  var phaseName: String {
    self == .extensionKitExtension ? "Embed ExtensionKit Extensions" : "Embed Foundation Extensions"
  }

  /// The folder to which the phase copies: PlugIns (13), or a path from the folder with the products (16).
  var destination: (folder: String, path: String) {
    self == .extensionKitExtension ? ("16", "$(EXTENSIONS_FOLDER_PATH)") : ("13", "")
  }
}
