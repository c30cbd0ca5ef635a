// What `emit` reports without failing.

import Records

/// Something that the user should know about the outputs.
package enum EmitNotice: Equatable, StageNotice {
  /// Stores may have up to `limit` single numbers, but phones load at most `accepted`. `isDirectory`: the stores are
  /// shards of a directory.
  case maxEntriesTooHigh(limit: UInt64, accepted: UInt64, isDirectory: Bool)
  /// Records have fields that the format of an output can't represent; they are not in the output.
  case fieldsLeftOut(RecordFieldSet, format: EmitFormat, path: String)
  /// Some of these fields were written as something else, because the format can't represent their contents.
  case fieldsReplaced(RecordFieldSet, format: EmitFormat, path: String)
  /// The extension of an output's name is known and is not one of its format, which was chosen.
  case otherName(format: EmitFormat, path: String)
  /// Because of long labels, every answer of a Live Caller ID Lookup service has `answerBytes`.
  case longLabels(answerBytes: Int, path: String)
  /// The list has a record of the number of the test identity, which replaced it.
  case testIdentityReplaces(number: UInt64, path: String)
  /// The parameters of a Live Caller ID Lookup directory have changed: all shards have to be processed again.
  case parametersChanged(path: String)
  /// An output has more entries than programs which read the format accept.
  case tooManyEntries(UInt64, limit: UInt64, format: EmitFormat, path: String)
}
