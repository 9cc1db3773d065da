@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import ModelCore
import StoreProtocol

/// The access rules of a service: an action is allowed if at least one rule allows it.
///
/// ```swift
/// let service = RESTService(
///   store.handle, serving: [Author.self, Book.self]
/// ) { access in
///   access.allow(.read, Author.self)
///   access.allow(.all, Book.self) { request, book in
///     guard let user = request.user else { return false }
///     return user == book.author.value?.identifier
///   }
///   access.protect(\Book.author)
/// }
/// ```
///
/// `request.user` is nil for an anonymous user. A rule tests it, since the owner of a record can be nil as well.
/// Related models are unloaded references in a rule: it can use their identifiers, and no other values.
///
/// A record that a user may not read is hidden from this user: lists omit it, and a lookup responds with 404.
///
/// An update must be allowed for the record before and after the change. So a user can neither give away a
/// record nor take over another user's. Delete rules of relations apply to all records, even if no access rule allows
/// their deletion.
public struct RESTAccess {
  /// A rule about one class.
  struct Rule: Sendable {
    let actions: Action
    /// The condition on the record; nil for all records.
    let condition: (@Sendable (RESTServiceRequest, ModelObject) -> Bool)?
  }

  /// The rules and the keys of fields, by class.
  struct Table: Sendable {
    var rules: [ObjectIdentifier: [Rule]] = [:]
    var hidden: [ObjectIdentifier: Set<String>] = [:]
    var protected: [ObjectIdentifier: Set<String>] = [:]
    /// Sensitive fields that responses have.
    var shown: [ObjectIdentifier: Set<String>] = [:]
  }

  private(set) var table = Table()

  init() {}

  /// Allows actions on all records of a class.
  public mutating func allow<M: Model>(_ actions: Action, _ type: M.Type) {
    table.rules[ObjectIdentifier(type), default: []].append(Rule(actions: actions, condition: nil))
  }

  /// Allows actions on the records of a class for which a condition holds.
  ///
  /// The condition runs for each record that a request reads or writes. A list reads records until its page is full,
  /// within the time limit of the service.
  ///
  /// - Parameters:
  ///   - actions: the actions.
  ///   - type: the class.
  ///   - condition: returns whether the request may act on the record.
  public mutating func allow<M: Model>(
    _ actions: Action, _ type: M.Type, where condition: @escaping @Sendable (RESTServiceRequest, M) -> Bool
  ) {
    let rule = Rule(actions: actions) { request, model in (model as? M).map { condition(request, $0) } ?? false }
    table.rules[ObjectIdentifier(type), default: []].append(rule)
  }

  /// Hides a field: responses omit it, conditions and orders can't use it, and requests can't write it.
  ///
  /// - Parameter field: the key path of the field, such as `\User.$passwordDigest`.
  public mutating func hide<M: Model, F: AnyField>(_ field: KeyPath<M, F>) {
    table.hidden[ObjectIdentifier(M.self), default: []].insert(Self.key(of: field))
  }

  /// Shows a sensitive field: responses have it, and conditions and orders can use it.
  ///
  /// Without this call, requests can write a sensitive field, and no response has it.
  ///
  /// - Parameter field: the key path of the field, such as `\Patient.$illness`.
  public mutating func show<M: Model, F: AnyField>(_ field: KeyPath<M, F>) {
    table.shown[ObjectIdentifier(M.self), default: []].insert(Self.key(of: field))
  }

  /// Protects a field: requests can't write it.
  ///
  /// - Parameter field: the key path of the field, such as `\Book.$owner`.
  public mutating func protect<M: Model, F: AnyField>(_ field: KeyPath<M, F>) {
    table.protected[ObjectIdentifier(M.self), default: []].insert(Self.key(of: field))
  }

  private static func key<M: Model, F: AnyField>(of field: KeyPath<M, F>) -> String {
    // A field gets its key from its model, which must stay alive.
    let prototype = M.prototype()
    guard let key = withExtendedLifetime(prototype, { prototype[keyPath: field].key }) else {
      // A rule that protects nothing would show a secret.
      preconditionFailure("\(field) has no key in \(M.self): there is nothing to hide or protect.")
    }
    return key
  }
}
