// An extension in its own process, for the tests of the simulated phone; its arguments select what it does. With `update
// SERVER FOLDER` it is an app that brings a folder up to date with the files in another one, for tests of its memory.

import CallDirectoryKit
import CallKit
import Foundation
import FrameworkServices

/// Passes on the files of a folder, in pieces.
struct PieceTransport: UpdateTransport {
  private static let pieceBytes = 64 << 10

  func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
    guard let file = try? FileHandle(forReadingFrom: url) else {
      return try body.begin(ServerResponse(status: 404))
    }
    defer { try? file.close() }
    try body.begin(ServerResponse(status: 200))
    while let piece = try file.read(upToCount: Self.pieceBytes), !piece.isEmpty { try body.append(piece) }
  }
}

ExtensionProcess.runIfRequested { _ in ProgramHandler(CommandLine.arguments) }
guard CommandLine.arguments.count == 4, CommandLine.arguments[1] == "update" else {
  print("extension-program: not started by a simulated phone")
  exit(0)
}
let places = CommandLine.arguments.suffix(2).map { URL(fileURLWithPath: $0, isDirectory: true) }
let updater = DirectoryUpdater(
  server: places[0], folder: places[1], trust: .unsigned, transport: PieceTransport())
print(try await updater.update().bytesDownloaded)
