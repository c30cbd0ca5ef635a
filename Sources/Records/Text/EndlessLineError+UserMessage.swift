// The message for a line that does not end.

extension EndlessLineError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    UserMessage(
      "\(list.map(InputName.quoted) ?? "the input") is not text: "
        + "a line does not end within \(Figures.bytes(Self.bytesMax))")
  }
}
