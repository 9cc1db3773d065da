@_spi(ModelKitInternals) public import StoreProtocol

/// The paths of the collections and models of an API.
///
/// ```swift
/// let router = RESTRouter(maxPathDepth: 1)
/// router.route(Person.self, to: "staff")
/// router.collectionPath(for: Person.self)  // "/staff"
/// router.instancePath(for: person)         // "/staff/10"
/// ```
///
/// A class that is neither registered nor ``Routable`` has the collection of its name, pluralized and in snake case:
/// `SalesPerson` is found at `/sales_people`. Classes of one hierarchy share the collection of the topmost class unless
/// they have their own route. Models with ``HasOwnerField`` are found below their owner.
///
/// Paths begin with a slash, are relative to a base address, and are percent-encoded component by component. So an
/// identifier can't change the path around it.
///
/// - Note: `Sendable`; stores and isolations may share a router.
public final class RESTRouter: Sendable {
  /// The maximum number of owners in a path; 0 for none.
  public let maxPathDepth: Int
  /// The rules that turn names of classes into plurals.
  public let inflection: Inflection

  /// Returns the segment of a class; nil for its plural in snake case.
  private let customSegment: (@Sendable (String) -> String)?

  private struct Tables {
    var routes: [ObjectIdentifier: String] = [:]
    /// The segments made from names of classes, each of which is inflected once.
    var segments: [ObjectIdentifier: String] = [:]
    /// The paths of collections, and the routes they were made from.
    var paths: [ObjectIdentifier: (route: String, path: String)] = [:]
  }

  private let tables = Lock(Tables())

  /// Creates a router without registered routes.
  ///
  /// - Parameters:
  ///   - maxPathDepth: the maximum number of owners in a path.
  ///   - inflection: the rules that turn names of classes into plurals.
  ///   - segment: returns the path of a collection from the name of its class, such as `SalesPerson`, for classes
  ///     without a route. Nil is the plural in snake case.
  public init(
    maxPathDepth: Int = 1, inflection: Inflection = .english, segment: (@Sendable (String) -> String)? = nil
  ) {
    customSegment = segment
    self.maxPathDepth = max(0, maxPathDepth)
    self.inflection = inflection
  }

  // MARK: Routes

  /// Registers the path of the collection of a class and its subclasses.
  ///
  /// ```swift
  /// router.route(Person.self, to: "/orgs/{org.id}/people/{id}")
  /// ```
  ///
  /// A key path in braces stands for a value of the model. A list has no model, and takes the value from a condition
  /// such as `where: { $0.org.id == 5 }`, which is not sent then. Such a route may end with the placeholder of the
  /// identifier.
  ///
  /// - Parameters:
  ///   - type: the class.
  ///   - path: the path below the base address, as plain text: it is percent-encoded where needed. Slashes separate
  ///     components.
  public func route<M: Model>(_ type: M.Type, to path: String) {
    tables.withLock { $0.routes[ObjectIdentifier(type)] = path }
  }

  // MARK: Paths

  /// Returns the path of the collection of a class, such as `/people`; nil if its route is not a valid path.
  public func collectionPath<M: Model>(for type: M.Type) -> String? { try? pathOfCollection(type) }

  /// Returns the path of the collection that contains a model, or would contain it: below its owner, if it has one.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - maxDepth: the maximum number of owners in the path; nil for ``maxPathDepth``.
  /// - Returns: nil if an owner has no identifier, or one that can't be part of a path.
  public func collectionPath<M: Model>(for model: M, maxDepth: Int? = nil) -> String? {
    try? pathOfCollection(containing: model, depth: maxDepth ?? maxPathDepth)
  }

  /// Returns the path of a model, such as `/people/10` or `/companies/10/employees/45`.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - maxDepth: the maximum number of owners in the path; nil for ``maxPathDepth``.
  /// - Returns: nil if the model or an owner has no identifier, or one that can't be part of a path.
  public func instancePath<M: Model>(for model: M, maxDepth: Int? = nil) -> String? {
    try? pathOfInstance(model, depth: maxDepth ?? maxPathDepth)
  }

  /// Returns the path of the model with an identifier, without owners.
  ///
  /// - Returns: nil if the identifier can't be part of a path: it is empty, or has a component `.` or `..`.
  public func instancePath<M: Model>(for type: M.Type, identifier: String) -> String? {
    try? pathOfInstance(type, identifier: identifier)
  }

  /// Returns the path of a relation, such as `/companies/10/employees`: the path of its model, and its key.
  ///
  /// - Parameters:
  ///   - relation: a field of a model.
  ///   - maxDepth: the maximum number of owners of that model in the path; nil for ``maxPathDepth``.
  /// - Returns: nil if the model has no path, or the field no model.
  public func path(to relation: AnyField, maxDepth: Int? = nil) -> String? {
    guard let owner = relation.owner as? ModelObject, let key = relation.key,
      let path = try? pathOfInstance(owner, depth: maxDepth ?? maxPathDepth),
      let component = PathComponent(key)
    else { return nil }
    return path + "/" + component.encoded
  }

  /// Returns the path of a model within a relation, such as `/companies/10/employees/45`.
  ///
  /// - Parameters:
  ///   - model: a model that the relation references, or could reference.
  ///   - relation: a field of another model.
  ///   - maxDepth: the maximum number of owners of that other model in the path; nil for ``maxPathDepth``.
  /// - Returns: nil if one of the models has no path.
  public func path<M: Model>(to model: M, in relation: AnyField, maxDepth: Int? = nil) -> String? {
    guard let path = path(to: relation, maxDepth: maxDepth), let identifier = model.storedIdentifier,
      let component = PathComponent(identifier)
    else { return nil }
    return path + "/" + component.encoded
  }

  /// Returns the path of a model within any collection, such as `/archive/people/10`.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - collection: the path of the collection, percent-encoded.
  /// - Returns: nil if the model has no identifier, or one that can't be part of a path.
  public func path<M: Model>(to model: M, inCollection collection: String) -> String? {
    guard let identifier = model.storedIdentifier, let component = PathComponent(identifier) else { return nil }
    return collection + (collection.hasSuffix("/") ? "" : "/") + component.encoded
  }

  // MARK: Paths, or the reason why there is none

  /// Returns the path of a collection.
  ///
  /// - Parameter value: returns the values of the placeholders in a template.
  func pathOfCollection(_ type: ModelObject.Type, value: (String) -> String? = { _ in nil }) throws -> String {
    let route = collection(of: type).path
    if let template = RouteTemplate(route, of: type) { return try template.path(of: type.typeName, value) }
    let id = ObjectIdentifier(type)
    // A class may declare another path each time.
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

  /// Returns the path of the model with an identifier in a collection.
  func path(of type: ModelObject.Type, identifier: String, in collection: String) throws -> String {
    try collection + "/" + component(identifier, of: type)
  }

  /// Returns the placeholders in the template of a class, which need a value; empty without template.
  func places(in type: ModelObject.Type) -> [String] {
    RouteTemplate(collection(of: type).path, of: type)?.places ?? []
  }

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
        No request was sent: the identifier "\(text)" of \(type.typeName) can't be part of a path, because a server could read \
        it as another path.
        """, identifier: text)
    }
    return component.encoded
  }

  // MARK: Collections

  /// Returns whether a class shares its collection with its superclass.
  func sharesCollection(_ type: ModelObject.Type) -> Bool { collection(of: type).holder != type }

  /// Returns the path of a class as plain text, and the class that declares it.
  private func collection(of type: ModelObject.Type) -> (path: String, holder: ModelObject.Type) {
    var holder = type
    while true {
      if let path = tables.withLock({ [id = ObjectIdentifier(holder)] in $0.routes[id] }) { return (path, holder) }
      let parent = _getSuperclass(holder) as? ModelObject.Type
      if let routable = holder as? any Routable.Type {
        // A subclass inherits the path, and with it the collection.
        let isInherited = (parent as? any Routable.Type)?.collectionPath == routable.collectionPath
        if !isInherited { return (routable.collectionPath, holder) }
      }
      guard let parent, parent != ModelObject.self, parent.typeName == holder.typeName else { break }
      holder = parent
    }
    return (segment(of: holder), holder)
  }

  /// Returns the name of a class without module and type arguments, in snake case and in the plural.
  private func segment(of type: ModelObject.Type) -> String {
    let id = ObjectIdentifier(type)
    if let known = tables.withLock({ $0.segments[id] }) { return known }
    let name = String(type.displayName.prefix { $0 != "<" })
    let segment = customSegment?(name) ?? inflection.plural(of: KeyCase.snake.key(name))
    tables.withLock { $0.segments[id] = segment }
    return segment
  }

  // MARK: Owners

  /// Returns the owner of a model, and the key of the inverse field there.
  private func owner(of model: ModelObject) -> (ModelObject, String)? {
    guard let field = (model as? any HasOwnerField)?.ownerField as? any RelationField,
      let owner = field.relatedModels.first
    else { return nil }
    return model.inverseField(of: field, on: owner)?.key.map { (owner, $0) }
  }

  /// Returns the key of the owner relation of a class, a model of the owner's class, and the key of the inverse field.
  func ownership(of type: ModelObject.Type) -> (key: String, owner: ModelObject, inverseKey: String)? {
    let model = type.init()
    guard let field = (model as? any HasOwnerField)?.ownerField as? any RelationField, let key = field.key
    else { return nil }
    let owner = field.relatedClass.init()
    return model.inverseField(of: field, on: owner)?.key.map { (key, owner, $0) }
  }
}
