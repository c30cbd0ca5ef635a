// The fields of the lists that `emit` writes, and of its databases: an input with exactly these is read back with all of
// them, as it was written.
//
// Not for: databases (SQLiteColumns), where the fields have other precedence.

/// The fields of a list that `emit` wrote.
enum EmittedFields {
  /// The names in JSON, in their order; those that are empty are left out.
  static let inJSON = ["number", "last", "label", "source", "score"]

  /// Whether the names of a table's columns are those of a CSV file of `emit`, or of the table in its databases.
  static func areColumns(_ names: [String]) -> Bool {
    names == inJSON || names == inJSON.filter { $0 != "last" }
  }
}

extension ParseOptions {
  /// Chooses the fields that are not chosen yet from those of a list that `emit` wrote; `names` are the ones in it.
  mutating func chooseEmitted(_ names: [String] = EmittedFields.inJSON) {
    func chosen(_ field: FieldSelector?, _ name: String) -> FieldSelector? {
      field ?? (names.contains(name) ? .name(name) : nil)
    }
    numberField = chosen(numberField, "number")
    lastField = chosen(lastField, "last")
    labelField = chosen(labelField, "label")
    sourceField = chosen(sourceField, "source")
    scoreField = chosen(scoreField, "score")
  }
}
