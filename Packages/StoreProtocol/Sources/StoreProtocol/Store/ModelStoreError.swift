@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// An error of a store. The stored records are unchanged, unless the message states otherwise.
///
/// ```swift
/// do {
///   _ = try await store.lookup(Person.self, identifier: "10")
/// } catch let error as ModelStoreError where error.code == .notFound {
///   print(error)  // There is no Person with the identifier "10".
/// }
/// ```
public struct ModelStoreError: Error, CustomStringConvertible {
  /// The kind of failure. More may be added: end a `switch` with `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// Creates a custom code.
    public init(_ name: String) { description = name }

    /// There is no model with this identifier.
    public static let notFound = Code("notFound")
    /// The identifier is taken, or another writer changed the model.
    public static let conflict = Code("conflict")
    /// A rule is broken, or a value can't be written.
    public static let invalid = Code("invalid")
    /// Returns the error for a model that has no identifier, and needs one here.
    public static let noIdentifier = Code("noIdentifier")
    /// Credentials are missing or insufficient.
    public static let unauthorized = Code("unauthorized")
    /// The server can't be reached.
    public static let offline = Code("offline")
    /// No response arrived in time.
    public static let timeout = Code("timeout")
    /// The task was cancelled.
    public static let cancelled = Code("cancelled")
    /// A record can't be read.
    public static let corrupt = Code("corrupt")
    /// The disk or the quota is full.
    public static let full = Code("full")
    /// The server failed, or its response is invalid.
    public static let server = Code("server")
    /// The store does not support the operation.
    public static let unsupported = Code("unsupported")
    /// The operating system refused to read or write.
    public static let inputOutput = Code("inputOutput")
    /// The delete rule of a relation denies it.
    public static let denied = Code("denied")
    /// Another process uses the store.
    public static let locked = Code("locked")
  }

  /// The kind of failure.
  public var code: Code
  /// A message for people: the failure, its reason, the kept state and the remedy.
  public var message: String
  /// The identifier of the model.
  public var identifier: String?
  /// The messages of single fields, by key path.
  public var fields: [String: [String]]
  /// The fields that were changed both locally and by another writer, with both values; empty for other errors.
  public var conflicts: [FieldConflict]
  /// The underlying error.
  public var cause: (any Error)?
  /// The response of the server that caused the error; nil if there was no response, or no server.
  public var refusal: ServerRefusal?
  /// Whether it is unknown if the call was completed, such as after a connection that was lost during a commit.
  @_spi(ModelKitInternals)
  public var isOutcomeUnknown = false

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - message: a message for people.
  ///   - identifier: the identifier of the model.
  ///   - fields: the messages of single fields, by key path.
  ///   - conflicts: the fields that were changed both locally and by another writer.
  ///   - cause: the underlying error.
  public init(
    _ code: Code, _ message: String, identifier: String? = nil, fields: [String: [String]] = [:],
    conflicts: [FieldConflict] = [], cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.identifier = identifier
    self.fields = fields
    self.conflicts = conflicts
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}

extension ModelStoreError {
  /// Returns the error for an identifier without a model.
  public static func notFound(_ typeName: String, identifier: String) -> ModelStoreError {
    ModelStoreError(
      .notFound, "There is no \(typeName.nameForMessage) with the identifier \(identifier.quotedForMessage).",
      identifier: identifier)
  }

  /// Returns the error for a new model whose identifier is taken.
  public static func conflict(_ typeName: String, identifier: String) -> ModelStoreError {
    ModelStoreError(
      .conflict,
      """
      Another \(typeName.nameForMessage) has the identifier \(identifier.quotedForMessage) already. Nothing was written.
      """, identifier: identifier)
  }

  /// Returns the error for a new model that was passed twice to one call.
  static func repeated(_ typeName: String) -> ModelStoreError {
    ModelStoreError(
      .conflict,
      "The same new \(typeName.nameForMessage) was passed twice. Nothing was written: give each model once.")
  }

  /// Returns the error for a record that can't be read as a model. Nothing was changed.
  ///
  /// - Parameters:
  ///   - typeName: the type name of the model.
  ///   - identifier: the identifier under which it is stored; nil if it is unknown.
  ///   - place: the position of a record without identifier, as in `record 2 of 3`.
  ///   - cause: the error of the record.
  @_spi(ModelKitInternals)
  public static func unreadable(
    _ typeName: String, identifier: String?, place: String? = nil, _ cause: any Error
  ) -> ModelStoreError {
    let name = typeName.nameForMessage
    let which = place.map { " (\($0))" } ?? ""
    let model = identifier.map { "The stored \(name) \($0.quotedForMessage)" } ?? "A stored \(name)\(which)"
    let reason = "\(cause)".shortenedForMessage(atMost: 500)
    return ModelStoreError(
      .corrupt,
      """
      \(model) can't be read: \(reason)\(reason.hasSuffix(".") ? "" : ".") Nothing was \
      changed: read it with a class whose fields can hold it, or delete it.
      """, identifier: identifier, cause: cause)
  }

  /// Returns the error for a model that has no identifier, and needs one here.
  public static func noIdentifier(_ typeName: String) -> ModelStoreError {
    ModelStoreError(
      .noIdentifier, "This \(typeName.nameForMessage) has no identifier: it was not created in a store yet.")
  }

  /// Returns the error of an operation on a model without identifier.
  static func noIdentifier(of model: ModelObject) -> ModelStoreError {
    guard model.isKnownToStore, let former = model.formerIdentifier else { return .noIdentifier(model.storedTypeName) }
    return ModelStoreError(
      .noIdentifier,
      """
      This \(model.storedTypeName.nameForMessage) has no identifier: it was stored as \(former.quotedForMessage), and its \
      identifier was removed since. Restore the identifier, for example with revert().
      """)
  }

  /// Rejects the deletion of a model whose identifier was changed: another record may have the new one.
  static func rejectDeletionUnderNewIdentifier(_ model: ModelObject) throws {
    guard model.isKnownToStore, let former = model.formerIdentifier, former != model.storedIdentifier else { return }
    throw ModelStoreError(
      .invalid,
      """
      This \(model.storedTypeName.nameForMessage) was not deleted: it was stored as \(former.quotedForMessage), and its \
      identifier was changed since. Restore the identifier, for example with revert(), and delete it then.
      """, identifier: former)
  }

  /// Rejects a model of a draft, whose original has to be used.
  ///
  /// - Parameters:
  ///   - model: the model that was passed to a store.
  ///   - participle: the rejected operation, such as `written`.
  ///   - verb: what to do with the original.
  static func rejectDraft(_ model: ModelObject, _ participle: String = "written", _ verb: String = "save") throws {
    guard model.isInDraft else { return }
    throw ModelStoreError(
      .invalid,
      """
      This \(model.storedTypeName.nameForMessage) was not \(participle), because it belongs to a draft, whose edits are \
      kept. Apply or release the draft, and \(verb) its original.
      """, identifier: model.storedIdentifier)
  }

  /// Rejects a model that an open transaction of another task deleted.
  static func rejectDeletedElsewhere(
    _ model: ModelObject, in scope: ModelScope, _ participle: String = "written", _ verb: String = "Save"
  ) throws {
    guard scope.isDeletedElsewhere(model) else { return }
    throw ModelStoreError(
      .conflict,
      """
      This \(model.storedTypeName.nameForMessage) was not \(participle): an open transaction of another task deleted it. \
      \(verb) it again when that has ended.
      """, identifier: model.storedIdentifier)
  }

  /// Rejects a save of a model that an open transaction of another task created: its record may never exist.
  static func rejectCreatedElsewhere(_ model: ModelObject, in scope: ModelScope) throws {
    guard model.isKnownToStore, scope.isCreatedElsewhere(model) else { return }
    throw ModelStoreError(
      .conflict,
      """
      This \(model.storedTypeName.nameForMessage) was not written: an open transaction of another task creates it. Save \
      it again when that has ended.
      """, identifier: model.storedIdentifier)
  }

  /// Returns the error for a model whose rules are violated.
  public static func invalid(
    _ typeName: String, identifier: String?, _ errors: [ModelValidationError]
  ) -> ModelStoreError {
    var shown = errors.prefix(10).map(\.description)
    // A message with many or long parts names the first ones; all are among the fields.
    while shown.count > 1, shown.reduce(0, { $0 + $1.utf8.count }) > 600 { shown.removeLast() }
    if shown.count < errors.count { shown.append("and \(errors.count - shown.count) more") }
    let list = shown.joined(separator: "; ")
    return ModelStoreError(
      .invalid, "This \(typeName.nameForMessage) was not written: \(list).", identifier: identifier,
      fields: Dictionary(grouping: errors, by: \.path.description).mapValues { $0.map(\.message) })
  }
}
