// How iOS presents the app's calls: the only place where CallKit's provider is configured.

import CallKit
import Foundation

/// The settings of the app's calls.
nonisolated struct ProviderSettings: Equatable, Sendable {
  /// The ringtone's file in the app's bundle: at most 30 s, in a format of system sounds (linear PCM, MA4, µ-law, a-law).
  static let ringtoneFile = "Ringtone.caf"
  /// The icon's file in the app's bundle: a square PNG with 120 pixels (40 points), of which iOS uses the alpha channel.
  static let iconFile = "CallIcon.png"

  /// The file name of the ringtone; nil for the iPhone's ringtone.
  var ringtone: String?
  /// The icon on the button that leads from iOS's screen for calls to the app; nil for none.
  var icon: Data?

  /// The settings with the files that a bundle contains.
  init(of bundle: Bundle = .main) {
    if let folder = bundle.resourceURL {
      icon = try? Data(contentsOf: folder.appendingPathComponent(Self.iconFile))
      let sounds = folder.appendingPathComponent(Self.ringtoneFile).path
      ringtone = FileManager.default.fileExists(atPath: sounds) ? Self.ringtoneFile : nil
    }
  }

  /// CallKit's configuration. Two calls at a time, one of them on hold, and no conferences.
  var configuration: CXProviderConfiguration {
    let configuration = CXProviderConfiguration()
    configuration.supportsVideo = true
    configuration.supportedHandleTypes = [.phoneNumber, .generic]
    configuration.maximumCallGroups = 2
    configuration.maximumCallsPerCallGroup = 1
    // Calls are listed in the Phone app; a tap there opens the app (CallsApp).
    configuration.includesCallsInRecents = true
    configuration.ringtoneSound = ringtone
    configuration.iconTemplateImageData = icon
    return configuration
  }
}

/// Whether the app may use CallKit.
nonisolated enum CallKitUse {
  /// The country where no app may: mainland China. App Review rejects an app with active CallKit there ("CallKit
  /// functionality be deactivated in all apps available on the China App Store", since 2018).
  static let excludedRegion = "CN"

  /// Whether the app may use CallKit where the user lives, according to the settings of the phone.
  static func isAllowed(region: String? = Locale.current.region?.identifier) -> Bool {
    region != excludedRegion
  }
}
