@_spi(ModelKitInternals) public import StoreProtocol

/// Where the collections and models of an API are.
///
/// ```swift
/// let router = RESTRouter(maxPathDepth: 1)
/// router.route(Person.self, to: "staff")
/// router.collectionPath(for: Person.self)  // "/staff"
/// router.instancePath(for: person)         // "/staff/10"
/// ```
///
/// A class that is neither registered nor ``Routable`` has the collection of its name, in the plural and in snake case:
/// `SalesPerson` is found at `/sales_people`. Classes of one hierarchy share the collection of the topmost one unless they
/// are routed themselves. Models with ``HasOwnerField`` are found below their owner.
///
/// Paths begin with a slash, are relative to a base address, and are percent-encoded component by component, so an
/// identifier can't leave its place.
///
/// - Note: `Sendable`; stores and isolations may share a router.
public final class RESTRouter: Sendable {
  /// How many owners a path names at most; 0 for none.
  public let maxPathDepth: Int
  /// How names of classes become plurals.
  public let inflection: Inflection

  private struct Tables {
    var routes: [ObjectIdentifier: String] = [:]
    /// Segments made from names of classes, each of which is inflected once.
    var segments: [ObjectIdentifier: String] = [:]
    /// Paths of collections, and the routes they were made from.
    var paths: [ObjectIdentifier: (route: String, path: String)] = [:]
  }

  private let tables = Lock(Tables())

  /// Creates a router without registered routes.
  ///
  /// - Parameters:
  ///   - maxPathDepth: how many owners a path names at most.
  ///   - inflection: how names of classes become plurals.
  public init(maxPathDepth: Int = 1, inflection: Inflection = .english) {
    self.maxPathDepth = max(0, maxPathDepth)
    self.inflection = inflection
  }

  // MARK: Routes

  /// Says where the collection of a class, and of the classes derived from it, is.
  ///
  /// ```swift
  /// router.route(Person.self, to: "/orgs/{org.id}/people/{id}")
  /// ```
  ///
  /// A key path in braces stands for the value of the model there. Where there is no model, as in a list, it is taken from a
  /// condition such as `where: { $0.org.id == 5 }`, which is not sent then. Such a route may end with the place of the
  /// identifier.
  ///
  /// - Parameters:
  ///   - type: the class.
  ///   - path: the path below the base address, as plain text: it is percent-encoded where needed. Slashes separate
  ///     components.
  public func route<M: Model>(_ type: M.Type, to path: String) {
    tables.withLock { $0.routes[ObjectIdentifier(type)] = path }
  }

  /// Forgets what ``route(_:to:)`` said of a class.
  public func unroute<M: Model>(_ type: M.Type) {
    tables.withLock { $0.routes[ObjectIdentifier(type)] = nil }
  }

  // MARK: Paths

  /// The path of the collection of a class, such as `/people`; nil if it was routed to what can't be a path.
  public func collectionPath<M: Model>(for type: M.Type) -> String? { try? pathOfCollection(type) }

  /// The path of the collection in which a model is, or would be created: below its owner, where it has one.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - maxDepth: how many owners the path names at most; nil for ``maxPathDepth``.
  /// - Returns: nil if an owner has no identifier, or one that can't be part of a path.
  public func collectionPath<M: Model>(for model: M, maxDepth: Int? = nil) -> String? {
    try? pathOfCollection(containing: model, depth: maxDepth ?? maxPathDepth)
  }

  /// The path of a model, such as `/people/10` or `/companies/10/employees/45`.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - maxDepth: how many owners the path names at most; nil for ``maxPathDepth``.
  /// - Returns: nil if the model or an owner has no identifier, or one that can't be part of a path.
  public func instancePath<M: Model>(for model: M, maxDepth: Int? = nil) -> String? {
    try? pathOfInstance(model, depth: maxDepth ?? maxPathDepth)
  }

  /// The path of the model with an identifier, which is not nested.
  ///
  /// - Returns: nil if the identifier can't be part of a path: it is empty, or `.` or `..`.
  public func instancePath<M: Model>(for type: M.Type, identifier: String) -> String? {
    try? pathOfInstance(type, identifier: identifier)
  }

  /// The path of a relation, such as `/companies/10/employees`: that of its model, and its key.
  ///
  /// - Parameters:
  ///   - relation: a field of a model.
  ///   - maxDepth: how many owners of that model the path names at most; nil for ``maxPathDepth``.
  /// - Returns: nil if the model has no path, or the field no model.
  public func path(to relation: AnyField, maxDepth: Int? = nil) -> String? {
    guard let owner = relation.owner as? ModelObject, let key = relation.key,
      let path = try? pathOfInstance(owner, depth: maxDepth ?? maxPathDepth),
      let component = PathComponent(key)
    else { return nil }
    return path + "/" + component.encoded
  }

  /// The path of a model within a relation, such as `/companies/10/employees/45`.
  ///
  /// - Parameters:
  ///   - model: a model that the relation leads to, or could lead to.
  ///   - relation: a field of another model.
  ///   - maxDepth: how many owners of that other model the path names at most; nil for ``maxPathDepth``.
  /// - Returns: nil if one of the models has no path.
  public func path<M: Model>(to model: M, in relation: AnyField, maxDepth: Int? = nil) -> String? {
    guard let path = path(to: relation, maxDepth: maxDepth), let identifier = model.storedIdentifier,
      let component = PathComponent(identifier)
    else { return nil }
    return path + "/" + component.encoded
  }

  // MARK: Paths that say why there is none

  /// The path of a collection.
  ///
  /// - Parameter value: gives the values of the places in a template.
  func pathOfCollection(_ type: ModelObject.Type, value: (String) -> String? = { _ in nil }) throws -> String {
    let route = collection(of: type).path
    if let template = RouteTemplate(route) { return try template.path(of: type.typeName, value) }
    let id = ObjectIdentifier(type)
    // A class may say another path each time it is asked.
    if let known = tables.withLock({ $0.paths[id] }), known.route == route { return known.path }
    let path = try plainPath(route, of: type)
    tables.withLock { $0.paths[id] = (route, path) }
    return path
  }

  private func plainPath(_ path: String, of type: ModelObject.Type) throws -> String {
    let segments = path.split(separator: "/", omittingEmptySubsequences: true)
    let components = segments.compactMap { PathComponent(String($0))?.encoded }
    guard !components.isEmpty, components.count == segments.count else {
      throw ModelStoreError(
        .invalid,
        """
        \(type.typeName) has no collection on the server: it is routed to "\(path)", which is not a path.
        """)
    }
    return "/" + components.joined(separator: "/")
  }

  func pathOfInstance(
    _ type: ModelObject.Type, identifier: String, value: (String) -> String? = { _ in nil }
  ) throws -> String {
    try path(of: type, identifier: identifier, in: pathOfCollection(type, value: value))
  }

  /// The path of the model with an identifier in a collection.
  func path(of type: ModelObject.Type, identifier: String, in collection: String) throws -> String {
    try collection + "/" + component(identifier, of: type)
  }

  /// The places in the template of a class that need a value; empty without template.
  func places(in type: ModelObject.Type) -> [String] { RouteTemplate(collection(of: type).path)?.places ?? [] }

  func pathOfInstance(_ model: ModelObject, depth: Int) throws -> String {
    try pathOfInstance(model, depth: depth, below: [])
  }

  func pathOfCollection(containing model: ModelObject, depth: Int) throws -> String {
    try pathOfCollection(containing: model, depth: depth, below: [])
  }

  private func pathOfInstance(_ model: ModelObject, depth: Int, below: [ModelObject]) throws -> String {
    if let path = (model as? any Routable)?.resourcePath { return try plainPath(path, of: type(of: model)) }
    guard let identifier = model.storedIdentifier else { throw ModelStoreError.noIdentifier(model.storedTypeName) }
    return try pathOfCollection(containing: model, depth: depth, below: below) + "/"
      + component(identifier, of: type(of: model))
  }

  private func pathOfCollection(containing model: ModelObject, depth: Int, below: [ModelObject]) throws -> String {
    guard depth > 0, let (owner, key) = owner(of: model), !(below + [model]).contains(owner) else {
      return try pathOfCollection(type(of: model)) { model.routeValue(at: $0) }
    }
    return try pathOfInstance(owner, depth: depth - 1, below: below + [model]) + "/"
      + component(key, of: type(of: model))
  }

  private func component(_ text: String, of type: ModelObject.Type) throws -> String {
    guard let component = PathComponent(text) else {
      throw ModelStoreError(
        .invalid,
        """
        No request was sent: the identifier "\(text)" of \(type.typeName) can't be part of a path, for it would lead \
        elsewhere.
        """, identifier: text)
    }
    return component.encoded
  }

  // MARK: Collections

  /// Whether the models of a class are in a collection with those of the class it is derived from.
  func sharesCollection(_ type: ModelObject.Type) -> Bool { collection(of: type).holder != type }

  /// The path of a class as plain text, and the class that it was made for.
  private func collection(of type: ModelObject.Type) -> (path: String, holder: ModelObject.Type) {
    var holder = type
    while true {
      if let path = tables.withLock({ [id = ObjectIdentifier(holder)] in $0.routes[id] }) { return (path, holder) }
      let parent = _getSuperclass(holder) as? ModelObject.Type
      if let routable = holder as? any Routable.Type {
        // A derived class inherits the path, and with it the collection.
        let isInherited = (parent as? any Routable.Type)?.collectionPath == routable.collectionPath
        if !isInherited { return (routable.collectionPath, holder) }
      }
      guard let parent, parent != ModelObject.self, parent.typeName == holder.typeName else { break }
      holder = parent
    }
    return (segment(of: holder), holder)
  }

  /// The name of a class without module and type arguments, in snake case and in the plural.
  private func segment(of type: ModelObject.Type) -> String {
    let id = ObjectIdentifier(type)
    if let known = tables.withLock({ $0.segments[id] }) { return known }
    let name = String(type.displayName.prefix { $0 != "<" })
    let segment = inflection.plural(of: KeyCase.snake.key(name))
    tables.withLock { $0.segments[id] = segment }
    return segment
  }

  // MARK: Owners

  /// The model to which another belongs, and the key of the field that leads from there to it.
  private func owner(of model: ModelObject) -> (ModelObject, String)? {
    guard let field = (model as? any HasOwnerField)?.ownerField as? any RelationField,
      let owner = field.relatedModels.first
    else { return nil }
    return model.inverseField(of: field, on: owner)?.key.map { (owner, $0) }
  }

  /// The relation by which a class belongs to another, the class it leads to, and the key of the field that leads back.
  func ownership(of type: ModelObject.Type) -> (key: String, owner: ModelObject, inverseKey: String)? {
    let model = type.init()
    guard let field = (model as? any HasOwnerField)?.ownerField as? any RelationField, let key = field.key
    else { return nil }
    let owner = field.relatedClass.init()
    return model.inverseField(of: field, on: owner)?.key.map { (key, owner, $0) }
  }
}
