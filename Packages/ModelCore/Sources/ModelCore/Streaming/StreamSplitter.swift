@_spi(ModelKitInternals) import FieldKit

/// A splitter of the bytes of a stream into its elements.
enum StreamSplitter {
  case list(JSONElementSplitter, path: String)
  case lines(JSONLineSplitter)

  init(_ form: StreamedForm, _ options: JSONReadingOptions) {
    switch form {
    case .list(let path): self = .list(JSONElementSplitter(at: path, options: options), path: path)
    case .lines: self = .lines(JSONLineSplitter(options: options))
    }
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    switch self {
    case .list(let splitter, _): splitter.append(bytes)
    case .lines(let splitter): splitter.append(bytes)
    }
  }

  func complete() {
    switch self {
    case .list(let splitter, _): splitter.complete()
    case .lines(let splitter): splitter.complete()
    }
  }

  func next() throws(JSONSyntaxError) -> JSONElementSplitter.Step {
    switch self {
    case .list(let splitter, _): try splitter.next()
    case .lines(let splitter): try splitter.next()
    }
  }

  func withElement<Result>(_ body: (UnsafeRawBufferPointer, _ depth: Int) throws -> Result) rethrows -> Result {
    switch self {
    case .list(let splitter, _): try splitter.withElement(body)
    case .lines(let splitter): try splitter.withElement(body)
    }
  }

  // MARK: Errors

  /// Whether the start of the next element is known after an error.
  var canGoOn: Bool {
    guard case .lines(let splitter) = self else { return false }
    return !splitter.hasEnded
  }

  func failure(_ error: JSONSyntaxError, deliveredCount: Int) -> ModelStreamError {
    let code: ModelStreamError.Code =
      switch error.code {
      case .unexpectedEnd where isTruncated: .truncated
      case .tooLarge: .tooLarge
      default: .invalidJSON
      }
    let index: Int? =
      switch self {
      case .list(let splitter, _): splitter.isInsideArray ? splitter.count : nil
      case .lines(let splitter): splitter.hasEnded ? nil : splitter.count - 1
      }
    return ModelStreamError(
      code: code, index: index, deliveredCount: deliveredCount, offset: error.offset, line: error.line,
      column: error.column, message: error.message, cause: error)
  }

  private var isTruncated: Bool {
    switch self {
    case .list: true
    case .lines(let splitter): splitter.isCutOff
    }
  }

  /// The path of the last element in the document.
  var elementPath: FieldPath {
    switch self {
    case .list(let splitter, let path): FieldPath(path).appending(FieldPath([.index(splitter.count - 1)]))
    case .lines(let splitter): FieldPath([.index(splitter.count - 1)])
    }
  }

  /// Returns the error of an element that the model rejects.
  func refusal(_ error: any Error, deliveredCount: Int) -> ModelStreamError {
    let index, offset: Int
    let place: (line: Int, column: Int)
    switch self {
    case .list(let splitter, _):
      (index, offset, place) = (splitter.count - 1, splitter.offset, splitter.lineAndColumn)
    case .lines(let splitter):
      (index, offset, place) = (splitter.count - 1, splitter.offset, splitter.lineAndColumn)
    }
    let cause = ModelDecodingError.wrapping(error, at: elementPath)
    return ModelStreamError(
      code: .invalidElement, index: index, deliveredCount: deliveredCount, offset: offset, line: place.line,
      column: place.column, message: cause.description, cause: cause)
  }
}
