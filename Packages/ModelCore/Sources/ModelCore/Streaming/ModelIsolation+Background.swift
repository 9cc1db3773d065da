public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The models come into being in a scope that nobody else has, so that the compiler sees that they can be handed over. A
// scope of the caller can't take part: it belongs to the caller's isolation, which the decoding has left.
extension ModelIsolation where Self: ModelObject {
  /// Makes models from a document in the background and hands them over to the isolation of the caller.
  ///
  /// ```swift
  /// let people = try await Person.list(decoding: data, at: "people")   // on the main actor, which stays free meanwhile
  /// ```
  ///
  /// The models have a scope of their own, which they share: `people.first?.scope`.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: where in the document the list lies; the whole document by default.
  ///   - transformers: how the models are read.
  /// - Throws: what ``list(fromJSON:at:in:as:options:)`` throws, and `CancellationError` if the task was cancelled before.
  @concurrent public static func list(
    decoding data: Data, at path: String = "", transformers: ValueTransformerContext = .standard
  ) async throws -> sending [Self] {
    try Task.checkCancellation()
    return try list(fromJSON: data, at: path, in: ModelScope(transformers: transformers))
  }

  /// Makes a model from a document in the background and hands it over to the isolation of the caller.
  ///
  /// - Parameters:
  ///   - data: the document, which is one object.
  ///   - transformers: how the model is read.
  /// - Throws: what ``from(json:in:as:options:)`` throws, and `CancellationError` if the task was cancelled before.
  @concurrent public static func from(
    decoding data: Data, transformers: ValueTransformerContext = .standard
  ) async throws -> sending Self {
    try Task.checkCancellation()
    return try from(json: data, in: ModelScope(transformers: transformers))
  }
}
