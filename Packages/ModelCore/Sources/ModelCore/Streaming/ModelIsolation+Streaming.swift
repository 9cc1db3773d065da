public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  // MARK: A list in one document

  /// Returns the models of a list in a file one by one, in bounded memory.
  ///
  /// ```swift
  /// let people = Person.stream(fromJSON: url, at: "results.people", in: scope)
  /// for try await person in people { … }
  /// ```
  ///
  /// The file is opened when the first element is requested. It may be a pipe.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - path: the path of the list in the document, such as `"results.people"` or `"pages[0].people"`; the whole
  ///     document by default.
  ///   - scope: the scope the models become part of.
  ///   - options: the limits.
  public static func stream(
    fromJSON url: URL, at path: String = "", in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> {
    ModelStream(.list(path: path), in: scope, options: options) { FileSource(url) }
  }

  /// Returns the models of a list one by one from bytes in chunks, such as `Data` or `[UInt8]`, in bounded memory.
  ///
  /// - Parameters:
  ///   - chunks: the bytes of the document, split anywhere.
  ///   - path: the path of the list in the document; the whole document by default.
  ///   - scope: the scope the models become part of.
  ///   - options: the limits.
  public static func stream<Chunks: AsyncSequence>(
    fromJSON chunks: Chunks, at path: String = "", in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> where Chunks.Element: Collection<UInt8> {
    ModelStream(.list(path: path), in: scope, options: options) { ChunkSource(chunks) }
  }

  /// Returns the models of a list one by one from single bytes, in bounded memory.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the document.
  ///   - path: the path of the list in the document; the whole document by default.
  ///   - scope: the scope the models become part of.
  ///   - options: the limits.
  public static func stream<Bytes: AsyncSequence>(
    fromJSON bytes: Bytes, at path: String = "", in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> where Bytes.Element == UInt8 {
    ModelStream(.list(path: path), in: scope, options: options) { SingleByteSource(bytes) }
  }

  // MARK: One document per line

  /// Returns the models of a file with one object per line (NDJSON) one by one, in bounded memory.
  ///
  /// Lines end with LF or CR LF; blank ones are skipped.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - scope: the scope the models become part of.
  ///   - options: the limits.
  public static func stream(
    fromJSONLines url: URL, in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> {
    ModelStream(.lines, in: scope, options: options) { FileSource(url) }
  }

  /// Returns the models of lines with one object each (NDJSON) one by one from bytes in chunks, in bounded memory.
  ///
  /// - Parameters:
  ///   - chunks: the bytes, split anywhere.
  ///   - scope: the scope the models become part of.
  ///   - options: the limits.
  public static func stream<Chunks: AsyncSequence>(
    fromJSONLines chunks: Chunks, in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> where Chunks.Element: Collection<UInt8> {
    ModelStream(.lines, in: scope, options: options) { ChunkSource(chunks) }
  }

  /// Returns the models of lines with one object each (NDJSON) one by one from single bytes, in bounded memory.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - scope: the scope the models become part of.
  ///   - options: the limits.
  public static func stream<Bytes: AsyncSequence>(
    fromJSONLines bytes: Bytes, in scope: ModelScope? = nil, options: JSONReadingOptions = .init()
  ) -> ModelStream<Self> where Bytes.Element == UInt8 {
    ModelStream(.lines, in: scope, options: options) { SingleByteSource(bytes) }
  }
}
