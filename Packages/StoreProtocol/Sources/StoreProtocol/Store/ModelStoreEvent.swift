@_spi(ModelKitInternals) import FieldKit
import Synchronization

/// An operation of a store that ended, for logs, metrics and tests.
///
/// ```swift
/// ModelStoreEvent.handler = { event in print(event) }
/// // MemoryModelStore list Person where age > 30: 12 in 0.0002 seconds, by the
/// // index of age, 12 of 1000 records
/// ```
///
/// An operation that calls others, such as a deletion that reads the models of its rules, has one event. Streams, and
/// the reads of related models for `including:`, have none. A REST store sends an event for each request, and one for
/// the operation after those of its requests. Its streams have one for each page.
///
/// An event has no values of records. Values with which a query compares sensitive fields are left out, too.
public struct ModelStoreEvent: Sendable, CustomStringConvertible {
  /// The kind of an operation.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// Models were added.
    case create
    /// Changes of a model were written.
    case update
    /// A model was removed, with those that its delete rules remove.
    case delete
    /// All models of all types were removed.
    case deleteAll
    /// A model was read by its identifier.
    case lookup
    /// Models were found.
    case list
    /// A page of models was found.
    case page
    /// Models were counted.
    case count
    /// Identifiers were found.
    case identifiers
    /// Columns were read, for a sum, groups or values.
    case columns
    /// A transaction was committed or rolled back. The operations inside it have events of their own.
    case transaction
    /// A request was answered by a server, after all attempts.
    case request
  }

  /// The kind of the operation.
  public let operation: Operation
  /// The class of the store, such as `MemoryModelStore`.
  public let store: String
  /// The name of the type of the models, or the method and the path of a request; nil for a transaction.
  public let subject: String?
  /// The query as text, without sensitive values; nil for an operation without one.
  public let query: String?
  /// The time from the call to its end.
  public let duration: Duration
  /// The number of models, records or identifiers that were found or written; nil if the operation failed, or has none.
  public let count: Int?
  /// How the records were found, with the used indexes; nil for an operation that does not search.
  public let report: QueryReport?
  /// The code of the error; nil if the operation succeeded. An error that is no ``ModelStoreError`` has the code
  /// `cancelled`, or `server`.
  public let errorCode: ModelStoreError.Code?

  /// The closure that receives the events of all stores of the process; nil, the default, for none. It is called in the
  /// isolation of the caller of an operation, after the operation.
  ///
  /// Without a closure, an operation has no additional cost. The closure must not call a store: it would receive the
  /// event of that call, too.
  public static var handler: (@Sendable (ModelStoreEvent) -> Void)? {
    get { currentHandler.withLock { $0?.call } }
    set {
      currentHandler.withLock { handler in
        handler = newValue.map { Handler(call: $0) }
        hasHandler.store(newValue != nil, ordering: .releasing)
      }
    }
  }

  /// A handler. A lock of the closure itself would wrap it once more at each access, until a call overflows the stack.
  private struct Handler {
    let call: @Sendable (ModelStoreEvent) -> Void
  }

  private static let currentHandler = Lock<Handler?>(nil)
  private static let hasHandler = Atomic(false)

  /// Whether there is a handler.
  @_spi(ModelKitInternals)
  public static var isObserved: Bool { hasHandler.load(ordering: .relaxed) }

  /// The task whose calls are parts of another one. Tasks that it starts inherit the value, and are others.
  @TaskLocal private static var silentTask: Int?

  private static var runningTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// Runs calls of a store that are parts of one call of the app, without events of their own.
  package static func withoutEvents<Result>(
    in isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    guard isObserved, let task = runningTask else { return try await body() }
    return try await $silentTask.withValue(task, in: isolation, body)
  }

  /// Whether a call of the running task has an event.
  static var isRecorded: Bool {
    guard isObserved else { return false }
    return silentTask.map { $0 != runningTask } ?? true
  }

  /// The event on one line.
  public var description: String {
    var text = "\(store) \(operation.rawValue)"
    // A query begins with the type.
    if let subject = query ?? subject { text += " \(subject)" }
    text += ":"
    if let errorCode { text += " \(errorCode)" }
    if let count { text += " \(count)" }
    text += " in \(duration)"
    if let report { text += ", \(report.plan)" }
    return text
  }
}

/// The parts of an event that the operation knows.
@_spi(ModelKitInternals)
public final class ModelStoreEventRecorder {
  /// The number of models.
  public var count: Int?
  /// How the records were found.
  public var report: QueryReport?
  /// The code of an error that the operation does not throw itself.
  public var errorCode: ModelStoreError.Code?

  private let start = ContinuousClock.now
  fileprivate init() {}

  fileprivate func send(
    _ operation: ModelStoreEvent.Operation, _ store: Any.Type, _ subject: String?, _ query: String?,
    _ error: (any Error)? = nil
  ) {
    guard let handler = ModelStoreEvent.handler else { return }
    let thrown = error.map { error in
      (error as? ModelStoreError)?.code ?? (error is CancellationError ? .cancelled : .server)
    }
    let code = thrown ?? errorCode
    handler(
      ModelStoreEvent(
        operation: operation, store: "\(store)", subject: subject, query: query,
        duration: ContinuousClock.now - start, count: code == nil ? count : nil, report: report, errorCode: code))
  }
}

@_spi(ModelKitInternals)
extension ModelStoreEvent {
  /// Runs an operation, then sends its event if there is a handler.
  ///
  /// - Parameters:
  ///   - operation: the kind of the operation.
  ///   - store: the class of the store.
  ///   - subject: the name of the type, or the request.
  ///   - query: the query.
  ///   - body: the operation, which completes the event; it gets nil without a handler.
  @inline(__always)
  public static func recording<Result>(
    _ operation: Operation, of store: Any.Type, _ subject: @autoclosure () -> String?,
    query: @autoclosure () -> String? = nil, _ body: (ModelStoreEventRecorder?) async throws -> Result
  ) async throws -> Result {
    guard isRecorded else { return try await body(nil) }
    let recorder = ModelStoreEventRecorder()
    do {
      let result = try await body(recorder)
      recorder.send(operation, store, subject(), query())
      return result
    } catch {
      recorder.send(operation, store, subject(), query(), error)
      throw error
    }
  }

  /// Runs an operation that does not suspend, then sends its event if there is a handler.
  @inline(__always)
  public static func recordingImmediately<Result>(
    _ operation: Operation, of store: Any.Type, _ subject: @autoclosure () -> String?,
    query: @autoclosure () -> String? = nil, _ body: (ModelStoreEventRecorder?) throws -> Result
  ) throws -> Result {
    guard isRecorded else { return try body(nil) }
    let recorder = ModelStoreEventRecorder()
    do {
      let result = try body(recorder)
      recorder.send(operation, store, subject(), query())
      return result
    } catch {
      recorder.send(operation, store, subject(), query(), error)
      throw error
    }
  }
}
