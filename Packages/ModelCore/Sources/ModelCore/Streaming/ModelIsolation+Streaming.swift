public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  // MARK: A list in one document

  /// Models one by one from a list in a file, in bounded memory.
  ///
  /// ```swift
  /// for try await person in Person.stream(fromJSON: url, at: "results.people", in: scope) { … }
  /// ```
  ///
  /// Nothing is opened before the first element is asked for. The file may be a pipe.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - path: where in the document the list lies, such as `"results.people"` or `"pages[0].people"`; the whole document by
  ///     default.
  ///   - scope: the identity map the models become part of.
  ///   - options: the limits.
  public static func stream(
    fromJSON url: URL, at path: String = "", in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> {
    ModelStream(.list(path: path), in: scope, options: options) { FileSource(url) }
  }

  /// Models one by one from a list in bytes that arrive in chunks, such as `Data` or `[UInt8]`, in bounded memory.
  ///
  /// - Parameters:
  ///   - chunks: the bytes of the document, cut anywhere.
  ///   - path: where in the document the list lies; the whole document by default.
  ///   - scope: the identity map the models become part of.
  ///   - options: the limits.
  public static func stream<Chunks: AsyncSequence>(
    fromJSON chunks: Chunks, at path: String = "", in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> where Chunks.Element: Collection<UInt8> {
    ModelStream(.list(path: path), in: scope, options: options) { ChunkSource(chunks) }
  }

  /// Models one by one from a list in bytes that arrive singly, in bounded memory.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the document.
  ///   - path: where in the document the list lies; the whole document by default.
  ///   - scope: the identity map the models become part of.
  ///   - options: the limits.
  public static func stream<Bytes: AsyncSequence>(
    fromJSON bytes: Bytes, at path: String = "", in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> where Bytes.Element == UInt8 {
    ModelStream(.list(path: path), in: scope, options: options) { SingleByteSource(bytes) }
  }

  // MARK: One document a line

  /// Models one by one from a file that has one object on each line (NDJSON), in bounded memory.
  ///
  /// Lines end with LF or CR LF; blank ones are passed.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - scope: the identity map the models become part of.
  ///   - options: the limits.
  public static func stream(
    fromJSONLines url: URL, in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> {
    ModelStream(.lines, in: scope, options: options) { FileSource(url) }
  }

  /// Models one by one from lines with one object each (NDJSON), whose bytes arrive in chunks, in bounded memory.
  ///
  /// - Parameters:
  ///   - chunks: the bytes, cut anywhere.
  ///   - scope: the identity map the models become part of.
  ///   - options: the limits.
  public static func stream<Chunks: AsyncSequence>(
    fromJSONLines chunks: Chunks, in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> where Chunks.Element: Collection<UInt8> {
    ModelStream(.lines, in: scope, options: options) { ChunkSource(chunks) }
  }

  /// Models one by one from lines with one object each (NDJSON), whose bytes arrive singly, in bounded memory.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - scope: the identity map the models become part of.
  ///   - options: the limits.
  public static func stream<Bytes: AsyncSequence>(
    fromJSONLines bytes: Bytes, in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> where Bytes.Element == UInt8 {
    ModelStream(.lines, in: scope, options: options) { SingleByteSource(bytes) }
  }
}
