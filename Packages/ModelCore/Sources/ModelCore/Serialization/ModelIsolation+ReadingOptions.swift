public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  /// Makes a model from a JSON document that is one object, within limits.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - scope: the identity map the models become part of.
  ///   - options: how deep and how long the document may be.
  /// - Throws: what ``from(json:in:)`` throws; `JSONSyntaxError` for a document that passes a limit.
  public static func from(json data: Data, in scope: ModelScope? = nil, options: JSONReadingOptions) throws -> Self {
    try ModelReader.directModel(self, from: data, in: scope, options: options)
      ?? ModelReader.model(self, from: data, in: scope, options: options)
  }

  /// Makes models from a JSON document that has a list of objects, all or none, within limits.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: where in the document the list lies; the whole document by default.
  ///   - scope: the identity map the models become part of.
  ///   - options: how deep and how long the document may be.
  /// - Throws: what ``list(fromJSON:at:in:)`` throws; `JSONSyntaxError` for a document that passes a limit.
  public static func list(
    fromJSON data: Data, at path: String = "", in scope: ModelScope? = nil, options: JSONReadingOptions
  ) throws -> [Self] {
    try ModelReader.directList(self, from: data, at: path, ModelReader(scope: scope), options: options)
      ?? ModelReader.list(self, from: data, at: path, ModelReader(scope: scope), options: options)
  }
}
