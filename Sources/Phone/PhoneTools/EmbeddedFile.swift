// Files of this repository that are part of the program: the sources of sample apps, and a schema.
//
// Not for which files: that list is in CEmbeddedFiles.c.

import CEmbeddedFiles

/// A text file of this repository, as it was when the program was built.
package struct EmbeddedFile: Sendable {
  /// The path from the repository's root.
  package let path: String
  /// The content.
  package let text: String

  /// All embedded files, in the order of the list.
  package static let all: [EmbeddedFile] = {
    var texts: [String] = []
    var at = 0
    while at < cdp_embedded_byte_count() {
      // In bounds: the last byte is a zero.
      texts.append(unsafe String(cString: cdp_embedded_bytes() + at))
      at += texts[texts.count - 1].utf8.count + 1
    }
    // The list itself is the first file, and has its own line, without this path to the root.
    let start = "#embed \"../../../"
    let lines = texts[0].split(separator: "\n").filter { $0.hasPrefix(start) }
    precondition(lines.count == texts.count - 1, "an embedded file is empty or has a zero byte")
    return zip(lines, texts.dropFirst()).map { line, text in
      EmbeddedFile(path: String(line.dropFirst(start.count).prefix { $0 != "\"" }), text: text)
    }
  }()

  /// The file with a path. It must be in the list.
  package static func at(_ path: String) -> EmbeddedFile {
    guard let file = all.first(where: { $0.path == path }) else {
      preconditionFailure("\(path) is not in CEmbeddedFiles.c")
    }
    return file
  }
}
