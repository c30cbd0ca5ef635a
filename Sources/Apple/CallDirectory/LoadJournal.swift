// What is written down of loads: by the extension, in the record; by the app, beside it. Each file has one writer, so that
// the two processes need no lock.
//
// Not for: what follows from it (LoadPlan).

/// The two files in which loads are written down.
struct LoadJournal {
  private let record: RecordFile
  /// What the app knows of the last request's end, from iOS.
  private let word: RecordFile

  init(_ files: ExtensionFiles) {
    record = RecordFile(path: files.record)
    word = RecordFile(path: files.record + ".app")
  }

  /// The last request and its end, if known; nil when there is no valid record.
  func last() -> LoadRecord? {
    guard var last = LoadRecord(record.contents()) else { return nil }
    guard let word = LoadRecord(word.contents()), word.request == last.request else { return last }
    switch (word.phase, last.phase) {
    case (.loaded, .submitted): last.phase = .loaded
    case (.loading, _): last.phase = .loading
    default: break
    }
    return last
  }

  /// Writes down that a request is about to change what is loaded. When the disk is full the old record is removed
  /// instead, which has the same meaning: nothing is known.
  func begin(_ request: UInt64) throws(CallDirectoryError) {
    if record.replace(LoadRecord(.loading, .unknown, request: request, added: 0).file) == 0 { return }
    let code = record.remove()
    if code != 0 { throw .record(code, path: record.path) }
  }

  /// Writes down how the request of a record ended, unless another one has begun since.
  func end(_ new: LoadRecord) {
    guard LoadRecord(record.contents())?.request == new.request else { return }
    write(new)
  }

  /// Writes down how far a request came. If that can't be done, the record goes on to say that nothing is known.
  func write(_ new: LoadRecord) {
    _ = record.replace(new.file)
  }

  /// Writes down that nothing is loaded any more, or that nobody knows.
  func forget() {
    let former = LoadRecord(record.contents())
    if former == nil, record.contents().isEmpty { return }
    let request = former?.request ?? 0
    if record.replace(LoadRecord(.loading, .unknown, request: request, added: 0).file) != 0 {
      _ = record.remove()
    }
  }

  /// Writes what iOS reported to the app about a request.
  func recordAppReport(of request: UInt64, isLoaded: Bool) {
    let phase = isLoaded ? LoadPhase.loaded : .loading
    if word.replace(LoadRecord(phase, .unknown, request: request, added: 0).file) != 0, !isLoaded {
      _ = word.remove()
    }
  }
}
