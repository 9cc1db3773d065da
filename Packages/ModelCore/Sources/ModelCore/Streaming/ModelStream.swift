import FieldKit

/// Models that are read one by one from a document of any length, in bounded memory: what
/// `stream(fromJSON:at:in:options:)` gives.
///
/// ```swift
/// for try await person in Person.stream(fromJSON: url, at: "results.people") {
///   print(person.name.value ?? "nobody")
/// }
/// ```
///
/// Models are made in the isolation of the loop, as it goes on; a file is read elsewhere, so that the loop blocks nobody.
/// One chunk and one element are in memory. Each element is read all or nothing, as a document by itself: with a scope,
/// elements of one identifier are one object as long as that is alive; without one, each element is an object of its own.
///
/// What follows a mistake is not read: the loop throws a ``ModelStreamError`` which tells the place, the element, and how
/// many were delivered. ``skippingElements(_:)`` goes on behind elements that don't fit. Cancelling the task ends the loop
/// with a `CancellationError`. When the loop ends, however it does, the file is closed.
///
/// Every loop over a stream reads it again from the start, if the bytes can be had again.
public struct ModelStream<Element: Model>: AsyncSequence {
  /// Iterating throws ``ModelStreamError``, `CancellationError`, and what the sequence of bytes throws.
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

  /// The same stream, going on behind elements that can't be read.
  ///
  /// In a list, that are objects which are JSON and not what the model takes; a list that is not JSON can't be gone on with.
  /// Of lines, any line can be skipped.
  ///
  /// ```swift
  /// for try await person in Person.stream(fromJSONLines: url).skippingElements({ print($0) }) { … }
  /// ```
  ///
  /// - Parameter report: is told of each element that is skipped, in the isolation of the loop.
  public func skippingElements(_ report: @escaping (ModelStreamError) -> Void) -> Self {
    var stream = self
    stream.report = report
    return stream
  }

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator { Iterator(run: ModelStreamRun(self)) }

  /// One reading of a stream.
  public struct Iterator: AsyncIteratorProtocol {
    /// Iterating throws what the stream throws.
    public typealias Failure = any Error

    let run: ModelStreamRun<Element>

    /// The next model, in the isolation of the caller; nil at the end.
    ///
    /// - Throws: ``ModelStreamError``, `CancellationError`, or what the sequence of bytes throws. The stream has ended then.
    public mutating func next() async throws -> Element? {
      try await run.next(isolation: #isolation)
    }

    /// The next model; nil at the end.
    ///
    /// - Parameter actor: the isolation to make the model in.
    /// - Throws: ``ModelStreamError``, `CancellationError`, or what the sequence of bytes throws. The stream has ended then.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
      try await run.next(isolation: actor)
    }
  }
}

/// How the elements of a stream lie in its bytes.
enum StreamedForm {
  /// In a list inside of one document.
  case list(path: String)
  /// One on each line.
  case lines
}
