@_spi(ModelKitInternals) import FieldKit

/// One iteration over a stream from its start to its end.
final class ModelStreamRun<Element: Model> {
  /// Nil once the iteration has ended, so that a retained iterator keeps no file open.
  private var source: (any ByteSource)?
  private let splitter: StreamSplitter
  private let reader: StreamedElementReader<Element>
  private let report: ((ModelStreamError) -> Void)?
  private var deliveredCount = 0

  init(_ stream: ModelStream<Element>) {
    source = stream.makeSource()
    splitter = StreamSplitter(stream.form, stream.options)
    reader = StreamedElementReader(in: stream.scope, options: stream.options)
    report = stream.report
  }

  func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
    guard let source else { return nil }
    do {
      if let model = try await model(from: source, isolation: actor) {
        deliveredCount += 1
        return model
      }
      self.source = nil
      return nil
    } catch {
      self.source = nil
      throw error
    }
  }

  private func model(from source: any ByteSource, isolation actor: isolated (any Actor)?) async throws -> Element? {
    while true {
      try Task.checkCancellation()
      switch try step() {
      case .ended: return nil
      case .element: if let model = try readElement() { return model }
      case .needsBytes:
        let splitter = splitter
        do {
          if try await !source.next(isolation: actor, { splitter.append($0) }) { splitter.complete() }
        } catch let error as FileReadingError {
          throw ModelStreamError(unreadable: error, deliveredCount: deliveredCount)
        }
      case .skipped: continue
      }
    }
  }

  private enum Step {
    case element, needsBytes, ended, skipped
  }

  private func step() throws -> Step {
    do {
      switch try splitter.next() {
      case .element: return .element
      case .needsBytes: return .needsBytes
      case .ended: return .ended
      }
    } catch {
      let failure = splitter.failure(error, deliveredCount: deliveredCount)
      guard let report, splitter.canGoOn else { throw failure }
      report(failure)
      return .skipped
    }
  }

  private func readElement() throws -> Element? {
    do {
      return try splitter.withElement { bytes, depth in
        try reader.model(from: bytes, depth: depth, at: splitter.elementPath)
      }
    } catch {
      let failure = splitter.refusal(error, deliveredCount: deliveredCount)
      guard let report else { throw failure }
      report(failure)
      return nil
    }
  }
}

extension ModelStreamError {
  init(unreadable error: FileReadingError, deliveredCount: Int) {
    self.init(
      code: .unreadable, index: nil, deliveredCount: deliveredCount, offset: error.offset, line: 1, column: 1,
      message: error.message, cause: nil)
  }
}
