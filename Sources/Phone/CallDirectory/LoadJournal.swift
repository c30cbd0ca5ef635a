// The journal of loads: the record, which the extension writes, and a second file, which the app writes. Each file has
// one writer, so the two processes don't need a lock.
//
// Not for choosing the next step (LoadPlan).

/// The two files of the journal.
struct LoadJournal {
  private let record: RecordFile
  /// The result of the last request that iOS reported to the app.
  private let appReport: RecordFile

  init(_ files: ExtensionFiles) {
    record = RecordFile(path: files.record)
    appReport = RecordFile(path: files.record + ".app")
  }

  /// The last request, with its result if known; nil if there is no valid record.
  func last() -> LoadRecord? {
    guard var last = LoadRecord(record.contents()) else { return nil }
    guard let appReport = LoadRecord(appReport.contents()), appReport.request == last.request else {
      return last
    }
    switch (appReport.phase, last.phase) {
    case (.loaded, .submitted): last.phase = .loaded
    case (.loading, _): last.phase = .loading
    default: break
    }
    return last
  }

  /// Records that a request is about to change the loaded entries. If the disk is full, removes the old record instead,
  /// which also means that the loaded state is unknown.
  func begin(_ request: UInt64) throws(CallDirectoryError) {
    if record.replace(LoadRecord(.loading, .unknown, request: request, added: 0).file) == 0 { return }
    let code = record.remove()
    if code != 0 { throw .record(code, path: record.path) }
  }

  /// Records the result of a request, unless another one has started since.
  func end(_ new: LoadRecord) {
    guard LoadRecord(record.contents())?.request == new.request else { return }
    write(new)
  }

  /// Records the state of a request. If that fails, the loaded state stays unknown.
  func write(_ new: LoadRecord) {
    _ = record.replace(new.file)
  }

  /// Records that nothing is loaded, or that the loaded state is unknown.
  func forget() {
    let former = LoadRecord(record.contents())
    if former == nil, record.contents().isEmpty { return }
    let request = former?.request ?? 0
    if record.replace(LoadRecord(.loading, .unknown, request: request, added: 0).file) != 0 {
      _ = record.remove()
    }
  }

  /// Records the result of a request that iOS reported to the app.
  func recordAppReport(of request: UInt64, isLoaded: Bool) {
    let phase = isLoaded ? LoadPhase.loaded : .loading
    if appReport.replace(LoadRecord(phase, .unknown, request: request, added: 0).file) != 0, !isLoaded {
      _ = appReport.remove()
    }
  }
}
