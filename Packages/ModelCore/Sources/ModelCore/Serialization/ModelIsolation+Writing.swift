@_spi(ModelKitInternals) public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  /// The fields that are loaded or set, by key. Related models are nested.
  ///
  /// Values that can't be written, such as those a transformer rejects, are omitted;
  /// ``jsonData(pretty:escapesSlashes:)`` throws for them.
  public var dictionaryValue: AttributeDictionary {
    if let dictionary = ModelWriter(context: memberScope?.transformers ?? .standard).plainObject(of: self) {
      return dictionary
    }
    return writableDictionary(fields: nil, in: memberScope)
  }

  /// Returns the given fields that are loaded or set, by key.
  ///
  /// - Parameters:
  ///   - fields: fields of this model. Related models are written with all their fields.
  ///   - scope: the source of key case, null policy and transformers; by default the scope of this model.
  public func dictionaryValue(fields: [AnyField], in scope: ModelScope? = nil) -> AttributeDictionary {
    writableDictionary(fields: fields, in: scope ?? memberScope)
  }

  /// Returns the fields that are loaded or set, by key, as ``dictionaryValue`` does.
  ///
  /// - Parameter scope: the source of key case, null policy and transformers.
  public func dictionaryValue(in scope: ModelScope) -> AttributeDictionary {
    writableDictionary(fields: nil, in: scope)
  }

  /// Returns the fields that a closure chooses, by key.
  ///
  /// ```swift
  /// let changes = person.dictionaryValue { $0.isDirty }
  /// ```
  ///
  /// - Parameters:
  ///   - scope: the source of key case, null policy and transformers; by default the scope of this model.
  ///   - includeField: returns whether to write a field of this model, even one that is not loaded. Related models are
  ///     written with all their fields.
  public func dictionaryValue(in scope: ModelScope? = nil, includeField: (AnyField) -> Bool) -> AttributeDictionary {
    writableDictionary(fields: fieldsForDictionaryValue().filter(includeField), in: scope ?? memberScope) { _ in true }
  }

  /// Returns the model as a JSON document with sorted keys.
  ///
  /// - Parameters:
  ///   - pretty: whether to break lines and indent.
  ///   - escapesSlashes: whether `/` is written as `\/`.
  /// - Throws: ``ModelEncodingError`` with the path if a value can't be written.
  public func jsonData(pretty: Bool = false, escapesSlashes: Bool = false) throws -> Data {
    try ModelWriter.directData(of: [self], isList: false, pretty: pretty, escapesSlashes: escapesSlashes)
      ?? treeData(pretty: pretty, escapesSlashes: escapesSlashes)
  }

  /// Returns the document, written with the tree path.
  func treeData(pretty: Bool, escapesSlashes: Bool = false) throws -> Data {
    try JSONValue.object(encodedDictionary(in: memberScope))
      .bytes(JSONWritingOptions(pretty: pretty, sortedKeys: true, escapesSlashes: escapesSlashes))
  }
}

extension Array where Element: Model {
  /// Returns the models as a JSON document that is a list, with sorted keys.
  ///
  /// Each model of the list is written in full at its own index, and by its identifier elsewhere. Any other model is
  /// written in full at its first occurrence. So the size of the document is linear in the number of models and links.
  /// A model of the list without identifier may be written twice.
  ///
  /// - Parameters:
  ///   - pretty: whether to break lines and indent.
  ///   - escapesSlashes: whether `/` is written as `\/`.
  /// - Throws: ``ModelEncodingError`` with the path if a value can't be written.
  public func jsonData(pretty: Bool = false, escapesSlashes: Bool = false) throws -> Data {
    try ModelWriter.directData(of: self, isList: true, pretty: pretty, escapesSlashes: escapesSlashes)
      ?? treeData(pretty: pretty, escapesSlashes: escapesSlashes)
  }

  /// Returns the document, written with the tree path.
  func treeData(pretty: Bool, escapesSlashes: Bool = false) throws -> Data {
    var writers = ListWriters(self)
    let list = try enumerated().map { index, model in
      do {
        return JSONValue.object(try writers.writer(for: model).object(of: model, fields: nil))
      } catch let error as ModelEncodingError {
        throw error.inside(.index(index))
      }
    }
    return try JSONValue.array(list).bytes(
      JSONWritingOptions(pretty: pretty, sortedKeys: true, escapesSlashes: escapesSlashes))
  }
}

extension JSONValue {
  /// Returns the bytes of a tree that was created from models. A field's value may contain something that JSON can't
  /// express.
  func bytes(_ options: JSONWritingOptions) throws -> Data {
    do { return try jsonData(options) } catch { throw ModelEncodingError.wrapping(error, at: FieldPath()) }
  }
}

extension ModelObject {
  func encodedDictionary(
    fields: [AnyField]? = nil, in scope: ModelScope?
  ) throws -> AttributeDictionary {
    try ModelWriter(context: scope?.transformers ?? .standard)
      .object(of: self, fields: fields)
  }

  /// Returns the fields whose values can be written; see ``ModelWriter/object(of:fields:where:)``.
  fileprivate func writableDictionary(
    fields: [AnyField]?, in scope: ModelScope?, where includesField: ((AnyField) -> Bool)? = nil
  ) -> AttributeDictionary {
    let writer = ModelWriter(context: scope?.transformers ?? .standard)
    writer.omitsUnwritable = true
    return (try? writer.object(of: self, fields: fields, where: includesField)) ?? [:]
  }
}
