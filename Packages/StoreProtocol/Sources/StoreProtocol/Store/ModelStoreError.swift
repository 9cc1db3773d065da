@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The reason why a store did not do something. The stored records are as before, unless the message states otherwise.
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

    /// Creates a code of one's own.
    public init(_ name: String) { description = name }

    /// There is no model with this identifier.
    public static let notFound = Code("notFound")
    /// The identifier is taken, or another writer changed the model.
    public static let conflict = Code("conflict")
    /// A rule is broken, or a value can't be written.
    public static let invalid = Code("invalid")
    /// The model has no identifier, and needs one here.
    public static let noIdentifier = Code("noIdentifier")
    /// Credentials are missing or not enough.
    public static let unauthorized = Code("unauthorized")
    /// The server can't be reached.
    public static let offline = Code("offline")
    /// No answer came in time.
    public static let timeout = Code("timeout")
    /// The task was cancelled.
    public static let cancelled = Code("cancelled")
    /// A record can't be read.
    public static let corrupt = Code("corrupt")
    /// There is no room left.
    public static let full = Code("full")
    /// The server failed, or answered what can't be understood.
    public static let server = Code("server")
    /// This store can't do it.
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
  /// A description for people.
  public var message: String
  /// The identifier of the model in question.
  public var identifier: String?
  /// The messages that belong to single fields, by key path.
  public var fields: [String: [String]]
  /// The fields that were changed here and by someone else, with both values, where that is why the code is `conflict`.
  public var conflicts: [FieldConflict]
  /// The error below this one.
  public var cause: (any Error)?
  /// The answer of the server that is the reason; nil if none came, or the store has no server.
  public var refusal: ServerRefusal?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: what kind of failure it is.
  ///   - message: what happened, in words for a person.
  ///   - identifier: the identifier of the model in question.
  ///   - fields: the messages that belong to single fields, by key path.
  ///   - conflicts: the fields that were changed here and by someone else.
  ///   - cause: the error below this one.
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
  /// There is no model with this identifier.
  public static func notFound(_ typeName: String, identifier: String) -> ModelStoreError {
    ModelStoreError(
      .notFound, "There is no \(typeName.nameForMessage) with the identifier \(identifier.quotedForMessage).",
      identifier: identifier)
  }

  /// The identifier of a new model is taken.
  public static func conflict(_ typeName: String, identifier: String) -> ModelStoreError {
    ModelStoreError(
      .conflict,
      """
      Another \(typeName.nameForMessage) has the identifier \(identifier.quotedForMessage) already. Nothing was written.
      """, identifier: identifier)
  }

  /// A new model is among those that are created together more than once.
  @_spi(ModelKitInternals)
  public static func repeated(_ typeName: String) -> ModelStoreError {
    ModelStoreError(
      .conflict,
      "The same new \(typeName.nameForMessage) is there twice. Nothing was written: give each model once.")
  }

  /// Returns the error for a record that can't be read as a model. Nothing was changed.
  ///
  /// - Parameters:
  ///   - typeName: what stores call the type of the model.
  ///   - identifier: the identifier under which it is stored; nil if that is not known.
  ///   - place: which record it is, where the identifier is not known, as in `record 2 of 3`.
  ///   - cause: what is wrong with it.
  @_spi(ModelKitInternals)
  public static func unreadable(
    _ typeName: String, identifier: String?, place: String? = nil, _ cause: any Error
  ) -> ModelStoreError {
    let name = typeName.nameForMessage
    let which = place.map { " (\($0))" } ?? ""
    let model = identifier.map { "The stored \(name) \($0.quotedForMessage)" } ?? "A stored \(name)\(which)"
    let reason = "\(cause)".wordsForMessage(atMost: 500)
    return ModelStoreError(
      .corrupt,
      """
      \(model) can't be read: \(reason)\(reason.hasSuffix(".") ? "" : ".") It is kept as it is stored, and so is everything \
      else. Read it with a class whose fields can hold it, or delete it.
      """, identifier: identifier, cause: cause)
  }

  /// The model has no identifier, and needs one here.
  public static func noIdentifier(_ typeName: String) -> ModelStoreError {
    ModelStoreError(
      .noIdentifier, "This \(typeName.nameForMessage) has no identifier: it was not created in a store yet.")
  }

  static func draft(_ typeName: String, identifier: String?) -> ModelStoreError {
    ModelStoreError(
      .invalid,
      """
      This \(typeName.nameForMessage) was not written, because it belongs to a draft, whose edits are kept. Apply the draft, \
      and save its original.
      """, identifier: identifier)
  }

  /// Rules of a model are broken.
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
