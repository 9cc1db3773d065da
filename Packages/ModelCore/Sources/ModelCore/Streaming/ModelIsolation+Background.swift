public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The models are created in a scope of their own, so that the compiler can prove the transfer. A scope of the caller
// can't be used: it belongs to the caller's isolation, in which the decoding does not run.
extension ModelIsolation where Self: ModelObject {
  /// Creates models from a document in the background and returns them to the isolation of the caller.
  ///
  /// ```swift
  /// // On the main actor, which stays free meanwhile:
  /// let people = try await Person.list(decoding: data, at: "people")
  /// ```
  ///
  /// The models have a scope of their own, which they share: `people.first?.scope`.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: the path of the list in the document; the whole document by default.
  ///   - transformers: the transformers for reading the models.
  /// - Throws: the errors of ``list(fromJSON:at:in:as:options:)``, and `CancellationError` if the task was cancelled
  ///   before.
  @concurrent public static func list(
    decoding data: Data, at path: String = "", transformers: ValueTransformerContext = .standard
  ) async throws -> sending [Self] {
    try Task.checkCancellation()
    return try list(fromJSON: data, at: path, in: ModelScope(transformers: transformers))
  }

  /// Creates a model from a document in the background and returns it to the isolation of the caller.
  ///
  /// - Parameters:
  ///   - data: the document, which is one object.
  ///   - transformers: the transformers for reading the model.
  /// - Throws: the errors of ``from(json:in:as:options:)``, and `CancellationError` if the task was cancelled before.
  @concurrent public static func from(
    decoding data: Data, transformers: ValueTransformerContext = .standard
  ) async throws -> sending Self {
    try Task.checkCancellation()
    return try from(json: data, in: ModelScope(transformers: transformers))
  }
}
