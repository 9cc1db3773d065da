@_spi(ModelKitInternals) public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  /// Makes a model from a dictionary, or updates the live one that has its identifier.
  ///
  /// What is read counts as what is stored: it replaces local changes, and the fields are not dirty afterwards. Stores keep
  /// local changes where they read.
  ///
  /// In a scope whose context is lenient a value that does not fit is no error: its field stays as it is, the model keeps
  /// the value to give it back when it is written (``rejectedValues``), and all such values of the document are reported to
  /// ``ModelScope/decodingIssueHandler``. That holds for everything that reads models.
  ///
  /// - Parameters:
  ///   - dictionary: keys and values. Missing keys leave fields as they are, `null` makes them nil, unknown keys are
  ///     ignored unless the scope's context keeps them: see ``unknownValues``.
  ///   - scope: the identity map the models become part of; without one, equal identifiers still give one object within
  ///     this call.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public static func from(dictionaryValue dictionary: AttributeDictionary, in scope: ModelScope? = nil) throws -> Self {
    if let model = ModelReader.plainModel(self, dictionary, in: scope) { return model }
    return try decoding {
      let reader = ModelReader(scope: scope)
      return reader.apply([try reader.stage(dictionary, as: Self.self)])[0]
    }
  }

  /// Makes a model from a JSON document that is one object.
  ///
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON, ``ModelDecodingError`` if a value does not fit. Nothing is
  ///   changed then.
  public static func from(json data: Data, in scope: ModelScope? = nil) throws -> Self {
    try ModelReader.directModel(self, from: data, in: scope) ?? ModelReader.model(self, from: data, in: scope)
  }

  /// Makes models from a JSON document that has a list of objects, all or none.
  ///
  /// Read leniently, an element that is no object is reported and left out: there is no model to keep it.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: where in the document the list lies, such as `"authors"`; the whole document by default.
  ///   - scope: the identity map the models become part of.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON, ``ModelDecodingError`` if a value does not fit. Nothing is
  ///   changed then.
  public static func list(
    fromJSON data: Data, at path: String = "", in scope: ModelScope? = nil
  ) throws -> [Self] {
    try ModelReader.directList(self, from: data, at: path, ModelReader(scope: scope))
      ?? ModelReader.list(self, from: data, at: path, ModelReader(scope: scope))
  }

  /// Reads values into this model. Missing keys leave fields as they are, `null` makes them nil, unknown keys are
  /// ignored unless the scope's context keeps them. An identifier that belongs to another live model is an error, also where
  /// the context is lenient.
  ///
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public func read(_ dictionary: AttributeDictionary) throws {
    try Self.decoding {
      let reader = ModelReader(scope: memberScope)
      try reader.refuseIdentifierOfAnother(than: self, in: dictionary)
      reader.recognise(self, in: dictionary)
      _ = reader.apply([try reader.stage(dictionary, into: self)])
    }
  }

  private static func decoding<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw ModelDecodingError.wrapping(error, at: FieldPath()) }
  }
}
