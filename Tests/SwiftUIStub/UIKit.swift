// A stand-in for UIKit that only declares what the sample apps' screens use. Not a target of the package: see SwiftUI.swift.
// swift-format-ignore-file

@MainActor public enum UIApplication { public static var openSettingsURLString: String { fatalError() } }
