// Shell patterns for the names of files: `*.csv`, `list-?.json`, `[0-9]*`.
//
// Not for: labels, whose patterns have neither classes nor slashes (LabelGlob).

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Shell patterns, with the syntax of glob(7): `*`, `?`, classes in brackets, and backslashes before literal characters.
package enum FilePattern {
  /// Whether a text has a character with a meaning in patterns. A backslash alone has none.
  package static func isPattern(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.contains { $0 == "*" || $0 == "?" || $0 == "[" }
  }

  /// Whether a name matches a pattern; `*` also matches slashes. With `dotsAreExplicit`, a leading dot of the name
  /// matches only a dot.
  package static func matches(_ name: String, _ pattern: String, dotsAreExplicit: Bool = false) -> Bool {
    unsafe fnmatch(pattern, name, dotsAreExplicit ? FNM_PERIOD : 0) == 0
  }

  /// Returns the paths that match a pattern, in the order of their bytes. `*` matches no slash, and a leading dot of a
  /// name only a dot. Directories don't match; links that lead nowhere do.
  ///
  /// - Parameters:
  ///   - folder: the prefix of the paths, which ends in a slash, or nothing for the working directory. It is not a part of
  ///     the pattern.
  ///   - limit: the maximum number of paths. If there are more, some of them are returned, but more than that.
  /// - Throws: the error of a directory that exists but can't be listed.
  /// - Complexity: O(names in the directories that are listed).
  package static func paths(
    matching pattern: String, in folder: String, limit: Int, calls: any SystemCalls
  ) throws(SystemError) -> [String] {
    let components = pattern.split(separator: "/")
    var found = [pattern.hasPrefix("/") ? "/" : folder]
    for (index, component) in components.enumerated() {
      let isLast = index == components.count - 1
      var next: [String] = []
      for start in found where next.count <= limit {
        for name in try names(in: start, matching: String(component), calls) {
          if !isLast {
            next.append(start + name + "/")
          } else if try isFile(start + name, calls) {
            next.append(start + name)
          }
        }
      }
      found = next
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The names in a directory that match one component of a pattern. A name without a pattern is returned as it is.
  private static func names(
    in start: String, matching component: String, _ calls: any SystemCalls
  ) throws(SystemError) -> [String] {
    guard isPattern(component) else { return [component] }
    let path = FilePath(start.isEmpty ? "." : start)
    do throws(Errno) {
      return try calls.names(in: path).filter { matches($0, component, dotsAreExplicit: true) }
    } catch {
      if error == .noSuchFileOrDirectory || error == .notDirectory { return [] }
      throw SystemError(.openInput, path.string, error)
    }
  }

  private static func isFile(_ path: String, _ calls: any SystemCalls) throws(SystemError) -> Bool {
    do throws(Errno) {
      guard let status = try calls.statusIfPresent(FilePath(path), followsLinks: false) else { return false }
      return status.type == .symbolicLink
        ? FileKind(of: FilePath(path), calls: calls) != .directory : status.type != .directory
    } catch {
      throw SystemError(.openInput, path, error)
    }
  }
}
