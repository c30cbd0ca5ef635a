// Which kind of file a path leads to.

package import SystemPackage

/// The kind of file that a path leads to.
package enum FileKind {
  /// There is no such file, or its status can't be read.
  case none
  case regular
  case directory
  case other

  /// Looks up the kind of the file at a path, following links.
  package init(of path: FilePath, calls: any SystemCalls = KernelCalls()) {
    self.init((try? calls.status(path, followsLinks: true))?.type)
  }

  /// Looks up the kind of the file at a path, following links. Throws when its status can't be read.
  package init(checking path: FilePath, calls: any SystemCalls) throws(SystemError) {
    do throws(Errno) {
      self.init(try calls.statusIfPresent(path, followsLinks: true)?.type)
    } catch {
      throw SystemError(.openInput, path.string, error)
    }
  }

  private init(_ type: FileStatus.FileType?) {
    self =
      switch type {
      case nil: .none
      case .regular: .regular
      case .directory: .directory
      case .symbolicLink, .device, .other: .other
      }
  }
}
