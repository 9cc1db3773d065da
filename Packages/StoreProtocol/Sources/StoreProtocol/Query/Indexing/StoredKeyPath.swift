@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import ModelCore

/// The field of an index: its path in the records of a type, and the conversion of its values to index keys.
///
/// Unlike a field it is `Sendable`, so that an engine can maintain indexes without models.
///
/// ```swift
/// let field = try StoredKeyPath(Person.self, { $0.age }, in: scope.transformers)
/// index.insert(field.key(in: bytes), place)
/// ```
public struct StoredKeyPath: Sendable {
  /// The path of the field, with keys as they are declared.
  public let path: QueryPath
  /// The key as records spell it.
  public let key: String
  /// Whether keys are in the order of the values. Otherwise an index finds only equal values.
  public let isOrdered: Bool
  /// Whether the index is one of words.
  let hasWords: Bool
  /// Whether the index is one of the words of a list of texts.
  let hasWordsOfList: Bool
  /// The index key of a record without the field; nil if its value can't be read.
  let missing: IndexKey?
  /// The key of the value that a model has if its record lacks the field, for a field of a subclass. Records of other
  /// classes lack it, too, so that a record without it is indexed as nil.
  let absent: IndexKey?
  let reader: IndexKeyReader
  /// The path to the identifier of the related model, if the field is a foreign key.
  let relatedPath: QueryPath?
  private let wholeKey: String
  private let parts: [String]
  /// The keys of a member inside the value of the field.
  private let inner: [String]

  private init<M: Model>(
    _ type: M.Type, path: QueryPath, kind: IndexKind?, in context: ValueTransformerContext
  ) throws {
    let hasWords = kind == .text
    // A separate level, so that no other code has a reference to its field.
    let level = QueryLevel(M.self, context, isForRecords: true)
    defer { withExtendedLifetime(level) {} }
    let whole = try level.slot(path.keys.first ?? "")
    if path.keys.count > 1, let relation = whole.field as? any RelationField {
      let remedy =
        relation.isForeignKey
        ? "Index the foreign key \(whole.key.quotedForMessage), or the field there."
        : "Indexes read values, and no embedded models. Query without an index, or make the embedded model a Codable value."
      throw ModelStoreError(
        .invalid,
        """
        No index of \("\(path)".quotedForMessage) was created: it is a field of \(relation.relatedClass.displayName). \
        \(remedy)
        """)
    }
    let slot = try level.slot(path.keys[...])
    let source = Self.source(of: slot.field, level.prototype)
    guard let source, !hasWords || !(slot.field is any RelationField),
      let reader = IndexKeyReader(source.field, of: source.owner, context, hasWords: hasWords)
    else { throw Self.refused(path, slot.field, hasWords: hasWords) }
    self.path = QueryPath([slot.key] + slot.inner)
    relatedPath = slot.field is any RelationField ? source.field.key.map { [slot.key, $0] } : nil
    wholeKey = slot.spelledKey
    inner = slot.inner
    key = ([slot.spelledKey] + slot.inner).joined(separator: ".")
    parts = slot.parts.count > 1 ? slot.parts : []
    self.reader = reader
    let absent = reader.key(of: slot.missing)
    let isOfSubclass = !slot.missing.isNull && M.topOfHierarchy.init().field(declaredAs: slot.key) == nil
    // A record of another class that is found by the words of an initial value is tested, and does not match.
    (missing, self.absent) = isOfSubclass && !hasWords ? (.null, absent) : (absent, nil)
    self.hasWords = hasWords
    hasWordsOfList = hasWords && source.field is Field<[String]>
    isOrdered = reader.isOrdered && !isOfSubclass
  }

  private static func refused(_ path: QueryPath, _ field: AnyField, hasWords: Bool) -> ModelStoreError {
    let (name, type) = ("\(path)".quotedForMessage, field.valueType)
    if hasWords {
      return ModelStoreError(
        .invalid,
        """
        No text index of \(name) was created: values of the type \(type) are not text. Index a text or a list of texts, or \
        leave out .text.
        """)
    }
    if let relation = field as? any RelationField {
      return ModelStoreError(
        .invalid,
        """
        No index of \(name) was created: \(relation.isToMany ? "it is a to-many relation" : "it is not a foreign key"). Index a \
        foreign key of one model, or query without an index.
        """)
    }
    return ModelStoreError(
      .invalid,
      """
      No index of \(name) was created: values of the type \(type) are not Hashable. Make the type Hashable, or query without \
      an index.
      """)
  }

  /// Returns the field whose values are written: the field itself, or the referenced identifier for a foreign key.
  private static func source(of field: AnyField, _ owner: ModelObject?) -> (field: AnyField, owner: ModelObject?)? {
    guard let relation = field as? any RelationField else { return (field, owner) }
    guard relation.isForeignKey, !relation.isToMany else { return nil }
    let related = relation.relatedClass.init()
    return related.identifierField.map { ($0, related) }
  }

  /// Returns whether a condition about a path is about the field.
  func isAbout(_ path: QueryPath) -> Bool { path == self.path || path == relatedPath }
}

extension StoredKeyPath {
  /// Creates the key path of a field.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - field: returns the field of a model.
  ///   - kind: the kind of the index; nil for one of values.
  ///   - context: the transformers and the spelling of the records.
  /// - Throws: ``ModelStoreError`` with the code `invalid` for nil, and for a field whose values can't be keys. Such
  ///   values are neither `Hashable` nor foreign keys.
  public init<M: Model>(
    _ type: M.Type, _ field: (M) -> AnyField?, kind: IndexKind? = nil, in context: ValueTransformerContext
  ) throws {
    // A field has its key only as long as its model is live.
    let prototype = M.prototype()
    let key = withExtendedLifetime(prototype) { field(prototype)?.key }
    guard let key else {
      throw ModelStoreError(
        .invalid,
        """
        No index was created: the property of \(M.typeName.nameForMessage) has no field. Give the key path of one that is \
        declared with @Field, or of a field.
        """)
    }
    try self.init(type, path: [key], kind: kind, in: context)
  }
}

@_spi(ModelKitInternals)
extension StoredKeyPath {
  /// Creates the key path of a column: of a field, or of a member inside the value of one.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - column: returns the column.
  ///   - kind: the kind of the index; nil for one of values.
  ///   - context: the transformers and the spelling of the records.
  /// - Throws: ``ModelStoreError`` as for a field; `invalid` for a field of a related model.
  public init<M: Model, Value>(
    _ type: M.Type, column: (ModelColumns<M>) -> QueryColumn<Value>, kind: IndexKind? = nil,
    in context: ValueTransformerContext
  ) throws {
    let term = column(ModelColumns()).term
    guard term.form == .value else {
      throw ModelStoreError(
        .invalid, "No index of \("\(term)".quotedForMessage) was created: only values themselves are indexed.")
    }
    try self.init(type, path: term.path, kind: kind, in: context)
  }

  /// Creates the key path of the field with a key.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - key: the key of the field, as it is declared.
  ///   - kind: the kind of the index; nil for one of values.
  ///   - context: the transformers and the spelling of the records.
  /// - Throws: ``ModelStoreError`` with the code `invalid` if there is no such field, or its values can't be keys;
  ///   `unsupported` if stores don't keep it.
  public init<M: Model>(
    _ type: M.Type, key: String, kind: IndexKind? = nil, in context: ValueTransformerContext
  ) throws {
    try self.init(type, path: [key], kind: kind, in: context)
  }

  /// Returns the index key of the bytes of a record; nil if the value can't be read.
  public func key(in bytes: [UInt8]) -> IndexKey? { bytes.withUnsafeBytes(key(in:)) }

  /// Returns the index key of the bytes of a record; nil if the value can't be read.
  public func key(in bytes: UnsafeRawBufferPointer) -> IndexKey? {
    do {
      if parts.isEmpty, inner.isEmpty {
        var scanner = JSONScanner(bytes)
        return try BytesRow.go(to: key, &scanner) ? reader.key(at: &scanner) : missing
      }
      let offset = try BytesRow.offset(of: wholeKey, parts, inside: inner, in: bytes)
      if offset < 0 { return offset == -1 ? missing : .null }
      var scanner = JSONScanner(bytes, offset: offset, depth: 1, maximumDepth: 512)
      return try reader.key(at: &scanner)
    } catch {
      return nil
    }
  }
}

extension StoredKeyPath: Hashable, CustomStringConvertible {
  /// Returns whether both are the same field in the same spelling, for the same kind of index.
  public static func == (left: StoredKeyPath, right: StoredKeyPath) -> Bool {
    left.path == right.path && left.key == right.key && left.hasWords == right.hasWords
  }

  /// Hashes the path of the field.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }

  /// The keys of the path, separated by dots; for an index of words followed by `text`.
  public var description: String { hasWords ? "\(path).text" : path.description }
}
