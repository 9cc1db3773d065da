@_spi(ModelKitInternals) public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  /// Makes a model from a dictionary, or reads it into the live one that has its identifier.
  ///
  /// A load makes the model what the source has: it replaces local changes, and the fields are not dirty afterwards. Stores
  /// keep local changes where they read. An edit sets the values that differ, which are dirty then.
  ///
  /// In a scope whose context is lenient a value that does not fit is no error: its field stays as it is, the model keeps
  /// the value to give it back when it is written (``rejectedValues``), and all such values of the document are reported to
  /// ``ModelScope/decodingIssueHandler``. That holds for everything that reads models. A stored model that is edited keeps
  /// its own value instead.
  ///
  /// - Parameters:
  ///   - dictionary: keys and values. Missing keys leave fields as they are, `null` makes them nil, unknown keys are
  ///     ignored unless the scope's context keeps them: see ``unknownValues``.
  ///   - scope: the identity map the models become part of; without one, equal identifiers still give one object within
  ///     this call.
  ///   - mode: whether the values are loaded, or are edits.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public static func from(
    dictionaryValue dictionary: AttributeDictionary, in scope: ModelScope? = nil, as mode: ReadMode = .load
  ) throws -> Self {
    if mode == .load, let model = ModelReader.plainModel(self, dictionary, in: scope) { return model }
    return try decoding {
      let reader = ModelReader(scope: scope, mode)
      return reader.apply([try reader.stage(dictionary, as: Self.self)])[0]
    }
  }

  /// Makes a model from a JSON document that is one object, or reads it into the live one that has its identifier.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - scope: the identity map the models become part of.
  ///   - mode: whether the values are loaded, or are edits.
  ///   - options: how deep and how long the document may be.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON or pass a limit, ``ModelDecodingError`` if a value does not fit.
  ///   Nothing is changed then.
  public static func from(
    json data: Data, in scope: ModelScope? = nil, as mode: ReadMode = .load, options: JSONReadingOptions = .init()
  ) throws -> Self {
    if mode == .load, let model = ModelReader.directModel(self, from: data, in: scope, options: options) {
      return model
    }
    return try ModelReader.model(self, from: data, in: scope, as: mode, options: options)
  }

  /// Makes models from a JSON document that has a list of objects, all or none, or reads them into the live ones that have
  /// their identifiers.
  ///
  /// Read leniently, an element that is no object is reported and left out: there is no model to keep it.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: where in the document the list lies, such as `"authors"`; the whole document by default.
  ///   - scope: the identity map the models become part of.
  ///   - mode: whether the values are loaded, or are edits.
  ///   - options: how deep and how long the document may be.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON or pass a limit, ``ModelDecodingError`` if a value does not fit.
  ///   Nothing is changed then.
  public static func list(
    fromJSON data: Data, at path: String = "", in scope: ModelScope? = nil, as mode: ReadMode = .load,
    options: JSONReadingOptions = .init()
  ) throws -> [Self] {
    if mode == .load,
      let models = ModelReader.directList(self, from: data, at: path, ModelReader(scope: scope), options: options)
    {
      return models
    }
    return try ModelReader.list(self, from: data, at: path, ModelReader(scope: scope, mode), options: options)
  }

  /// Reads values into this model. Missing keys leave fields as they are, `null` makes them nil, unknown keys are
  /// ignored unless the scope's context keeps them. An identifier that belongs to another live model is an error, also where
  /// the context is lenient.
  ///
  /// After a load nothing is dirty. If a store has the model, the next save of it writes the fields that were loaded,
  /// unless the store has read it again by then.
  ///
  /// - Parameters:
  ///   - dictionary: keys and values.
  ///   - mode: whether the values are loaded, or are edits.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public func read(_ dictionary: AttributeDictionary, as mode: ReadMode = .load) throws {
    try Self.decoding {
      let reader = ModelReader(scope: memberScope, mode)
      try reader.refuseIdentifierOfAnother(than: self, in: dictionary)
      reader.recognise(self, in: dictionary)
      _ = reader.apply([try reader.stage(dictionary, into: self)])
    }
  }

  /// Reads a JSON document that is one object into this model: see ``read(_:as:)``.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - mode: whether the values are loaded, or are edits.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON, ``ModelDecodingError`` for the first value that does not fit;
  ///   nothing is changed then.
  public func read(_ data: Data, as mode: ReadMode = .load) throws {
    try read(ModelReader.object(in: data), as: mode)
  }

  private static func decoding<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw ModelDecodingError.wrapping(error, at: FieldPath()) }
  }
}
