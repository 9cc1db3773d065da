import FieldKit

/// A sequence of models that are read one by one from a document of any length, in bounded memory.
///
/// Create it with a function such as `stream(fromJSON:at:in:options:)`:
///
/// ```swift
/// for try await person in Person.stream(fromJSON: url, at: "results.people") {
///   print(person.name.value ?? "unnamed")
/// }
/// ```
///
/// Models are created in the isolation of the loop. A file is read on a queue, so that the loop does not block. One
/// chunk and one element are in memory. Each element is read atomically, as a separate document. With a scope,
/// elements with one identifier are one object as long as it is alive. Without a scope, each element is an object of
/// its own.
///
/// The stream ends at an error: the loop throws a ``ModelStreamError`` with the position, the element, and the number
/// of delivered elements. ``skippingElements(_:)`` continues after elements that can't be read. Cancelling the task
/// ends the loop with a `CancellationError`. The file is closed when the loop ends.
///
/// Every loop over a stream reads it again from the start, if the bytes are available again.
public struct ModelStream<Element: Model>: AsyncSequence {
  /// The type of the errors: ``ModelStreamError``, `CancellationError`, and errors of the sequence of bytes.
  public typealias Failure = any Error

  let form: StreamedForm
  let scope: ModelScope?
  let options: JSONReadingOptions
  var report: ((ModelStreamError) -> Void)?
  let makeSource: () -> any ByteSource

  init(
    _ form: StreamedForm, in scope: ModelScope?, options: JSONReadingOptions,
    from makeSource: @escaping () -> any ByteSource
  ) {
    self.form = form
    self.scope = scope
    self.options = options
    self.makeSource = makeSource
  }

  /// Returns the same stream, which continues after elements that can't be read.
  ///
  /// In a list, these are objects that are valid JSON and that the model rejects. A list with invalid JSON ends the
  /// stream. Of lines, any line can be skipped.
  ///
  /// ```swift
  /// let people = Person.stream(fromJSONLines: url)
  /// for try await person in people.skippingElements({ print($0) }) { … }
  /// ```
  ///
  /// - Parameter report: receives the error of each skipped element, in the isolation of the loop.
  public func skippingElements(_ report: @escaping (ModelStreamError) -> Void) -> Self {
    var stream = self
    stream.report = report
    return stream
  }

  /// Returns an iterator that reads the stream from the start.
  public func makeAsyncIterator() -> Iterator { Iterator(run: ModelStreamRun(self)) }

  /// An iterator over the models of a stream.
  public struct Iterator: AsyncIteratorProtocol {
    /// The type of the errors of the stream.
    public typealias Failure = any Error

    let run: ModelStreamRun<Element>

    /// Returns the next model, created in the isolation of the caller; nil at the end.
    ///
    /// - Throws: ``ModelStreamError``, `CancellationError`, or an error of the sequence of bytes. The stream then ends.
    public mutating func next() async throws -> Element? {
      try await run.next(isolation: #isolation)
    }

    /// Returns the next model; nil at the end.
    ///
    /// - Parameter actor: the isolation in which to create the model.
    /// - Throws: ``ModelStreamError``, `CancellationError`, or an error of the sequence of bytes. The stream then ends.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
      try await run.next(isolation: actor)
    }
  }
}

/// The arrangement of the elements of a stream in its bytes.
enum StreamedForm {
  /// In a list inside one document.
  case list(path: String)
  /// One per line.
  case lines
}
