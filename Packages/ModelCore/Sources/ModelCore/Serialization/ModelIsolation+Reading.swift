@_spi(ModelKitInternals) public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  /// Creates a model from a dictionary, or reads it into the live one with the same identifier.
  ///
  /// A load gives the model the values of the source: it replaces local changes, and the fields are not dirty. Stores
  /// keep local changes when they read. An edit sets the values that differ, and these are dirty.
  ///
  /// In a scope with a lenient context, a value that does not fit is not an error. Its field stays as it is. The model
  /// keeps the value and writes it again: see ``rejectedValues``. All such values of a document are reported to
  /// ``ModelScope/decodingIssueHandler``. This applies to every function that reads models. A stored model that is
  /// edited keeps its own value instead.
  ///
  /// - Parameters:
  ///   - dictionary: keys and values. Missing keys leave fields as they are, and `null` makes them nil. Unknown keys
  ///     are ignored unless the scope's context keeps them: see ``unknownValues``.
  ///   - scope: the scope the models become part of. Without one, equal identifiers are one object within this call.
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

  /// Creates a model from a dictionary, or reads it into the live one with the same identifier, and configures it.
  ///
  /// - Parameters:
  ///   - dictionary: keys and values: see ``from(dictionaryValue:in:as:)``.
  ///   - scope: the scope the models become part of.
  ///   - mode: whether the values are loaded, or are edits.
  ///   - configure: called last, with the model that has the values. `isNew` is false for a model that was live before.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit, and errors of the closure.
  public static func from(
    dictionaryValue dictionary: AttributeDictionary, in scope: ModelScope? = nil, as mode: ReadMode = .load,
    configure: (_ model: Self, _ isNew: Bool) throws -> Void
  ) throws -> Self {
    let known = try decoding { try ModelReader(scope: scope, mode).liveModel(self, for: dictionary) }
    let model = try from(dictionaryValue: dictionary, in: scope, as: mode)
    try configure(model, known !== model)
    return model
  }

  /// Creates a model from a JSON document that is one object, or reads it into the live one with the same identifier.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - scope: the scope the models become part of.
  ///   - mode: whether the values are loaded, or are edits.
  ///   - options: the limits for the depth and the size of the document.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON or exceed a limit, ``ModelDecodingError`` if a value does
  ///   not fit. Nothing is changed then.
  public static func from(
    json data: Data, in scope: ModelScope? = nil, as mode: ReadMode = .load, options: JSONReadingOptions = .init()
  ) throws -> Self {
    if mode == .load, let model = ModelReader.directModel(self, from: data, in: scope, options: options) {
      return model
    }
    return try ModelReader.model(self, from: data, in: scope, as: mode, options: options)
  }

  /// Creates models from a JSON list of objects, atomically, or reads them into the live ones with the same
  /// identifiers.
  ///
  /// In a lenient reading, an element that is not an object is reported and omitted, because no model could keep it.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: the path of the list in the document, such as `"authors"`; the whole document by default.
  ///   - scope: the scope the models become part of.
  ///   - mode: whether the values are loaded, or are edits.
  ///   - options: the limits for the depth and the size of the document.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON or exceed a limit, ``ModelDecodingError`` if a value does
  ///   not fit. Nothing is changed then.
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

  /// Reads values into this model.
  ///
  /// Missing keys leave fields as they are, and `null` makes them nil. Unknown keys are ignored unless the scope's
  /// context keeps them. An identifier that belongs to another live model is an error, even in a lenient context.
  ///
  /// After a load, no field is dirty. If a store has the model, its next save writes the loaded fields, except those
  /// that the store has read again by then. A field that the stored record lacks keeps the loaded value.
  ///
  /// - Parameters:
  ///   - dictionary: keys and values.
  ///   - mode: whether the values are loaded, or are edits.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public func read(_ dictionary: AttributeDictionary, as mode: ReadMode = .load) throws {
    try Self.decoding {
      let reader = ModelReader(scope: memberScope, mode)
      let decoded = try reader.decoded(dictionary, for: Self.self)
      try reader.refuseIdentifierOfAnother(than: self, in: decoded)
      reader.register(self, in: decoded)
      _ = reader.apply([try reader.stage(decoded: decoded, into: self)])
    }
  }

  /// Reads the values of some fields into this model, and leaves the others as they are.
  ///
  /// - Parameters:
  ///   - dictionary: keys and values; those of other fields are ignored.
  ///   - fields: fields of this model.
  ///   - scope: the source of key case and transformers; by default the scope of this model.
  ///   - mode: whether the values are loaded, or are edits.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public func read(
    _ dictionary: AttributeDictionary, fields: [AnyField], in scope: ModelScope? = nil, as mode: ReadMode = .load
  ) throws {
    try Self.decoding {
      let context = (scope ?? memberScope)?.transformers ?? .standard
      let reader = ModelReader(scope: memberScope, context: context, mode)
      let decoded = try reader.decoded(dictionary, for: Self.self)
      var chosen: AttributeDictionary = [:]
      for field in fields where field.owner === self {
        guard let key = field.key.map(context.key), let json = try decoded.value(atNestedKey: key) else { continue }
        try chosen.set(json, atNestedKey: key, merging: true)
      }
      try reader.refuseIdentifierOfAnother(than: self, in: chosen)
      reader.register(self, in: chosen)
      _ = reader.apply([try reader.stage(decoded: chosen, into: self)])
    }
  }

  /// Reads a JSON document that is one object into this model: see ``read(_:as:)``.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - mode: whether the values are loaded, or are edits.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON, ``ModelDecodingError`` for the first value that does not
  ///   fit; nothing is changed then.
  public func read(_ data: Data, as mode: ReadMode = .load) throws {
    try read(ModelReader.object(in: data), as: mode)
  }

  private static func decoding<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw ModelDecodingError.wrapping(error, at: FieldPath()) }
  }
}
