// A limit for waiting for iOS, which is known not to answer some apps at all.

/// iOS did not answer in time.
public nonisolated struct MissingAnswer: Error, Equatable, Sendable {}

/// Waits for work, at most some seconds. After that, the work goes on, and its result is ignored.
///
/// - Throws: the error of the work, ``MissingAnswer``, or `CancellationError`.
public nonisolated func withTimeLimit<Answer: Sendable>(
  seconds: Double, _ work: @escaping @Sendable () async throws -> Answer
) async throws -> Answer {
  let (answers, continuation) = AsyncThrowingStream.makeStream(of: Answer.self)
  Task {
    do {
      continuation.yield(try await work())
    } catch {
      continuation.finish(throwing: error)
    }
  }
  let limit = Task {
    try await Task.sleep(for: .seconds(seconds))
    continuation.finish(throwing: MissingAnswer())
  }
  defer { limit.cancel() }
  for try await answer in answers { return answer }
  throw CancellationError()
}
