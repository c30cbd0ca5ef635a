// The field of the messages that holds the expected action, and what its labels stand for.

package import MessageRules

/// The field with the expected action, as the name of an action or as a label that stands for actions.
package struct ExpectedActions: Sendable {
  /// The name of the field.
  package let field: String
  /// The actions that each label stands for; the first one is expected, the others are right, too.
  package let labels: [String: [MessageAction]]

  /// Creates the description of a field. Names of actions stand for themselves, unless they are among the labels.
  package init(field: String, labels: [String: [MessageAction]] = [:]) {
    self.field = field
    self.labels = labels
  }

  /// The actions that a label stands for, not empty; nil for an unknown label.
  func actions(of label: String) -> [MessageAction]? {
    labels[label] ?? MessageAction(name: label).map { [$0] }
  }
}
