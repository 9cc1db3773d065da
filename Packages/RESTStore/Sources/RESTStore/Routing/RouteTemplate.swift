@_spi(ModelKitInternals) import StoreProtocol

/// A route with placeholders for values: `/orgs/{org.id}/people/{id}`.
struct RouteTemplate {
  private enum Piece {
    case text(String)
    case value(String)
  }

  /// The pieces of each component of the collection's path.
  private let components: [[Piece]]

  /// Reads a route; returns nil if it has no placeholders. The placeholder of the identifier as the last component is
  /// dropped: the identifier is appended anyway.
  init?(_ route: String, of type: ModelObject.Type) {
    guard route.utf8.contains(UInt8(ascii: "{")) else { return nil }
    var components = route.split(separator: "/", omittingEmptySubsequences: true).map { Self.pieces(of: $0) }
    if let last = components.last, last.count == 1, case .value(let place) = last[0] {
      let model = type.init()
      if place == "id" || model.field(declaredAs: place).map({ $0 === model.identifierField }) ?? false {
        components.removeLast()
      }
    }
    self.components = components
  }

  private static func pieces(of component: Substring) -> [Piece] {
    var pieces: [Piece] = []
    var rest = component
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      if start > rest.startIndex { pieces.append(.text(String(rest[..<start]))) }
      pieces.append(.value(String(rest[rest.index(after: start)..<end])))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { pieces.append(.text(String(rest))) }
    return pieces
  }

  /// The key paths of the placeholders.
  var places: [String] {
    components.joined().compactMap { if case .value(let path) = $0 { path } else { nil } }
  }

  /// Returns the path of the collection.
  ///
  /// - Parameter value: returns the value of a placeholder.
  /// - Throws: `ModelStoreError` with the code `invalid` if there is no value, or one that can't be part of a path.
  func path(of typeName: String, _ value: (String) -> String?) throws -> String {
    var path = ""
    for pieces in components {
      var text = ""
      for piece in pieces {
        switch piece {
        case .text(let literal): text += literal
        case .value(let place):
          guard let found = value(place), !found.isEmpty else {
            throw ModelStoreError(
              .invalid,
              """
              No request was sent: the route of \(typeName) needs a value for {\(place)}. Give the model one, or make it \
              part of the condition, such as where: { $0.\(place) == … }.
              """)
          }
          text += found
        }
      }
      guard let component = PathComponent(text) else {
        throw ModelStoreError(
          .invalid, "No request was sent: \"\(text)\" can't be part of the path of \(typeName).")
      }
      path += "/" + component.encoded
    }
    return path
  }
}

extension ModelObject {
  /// Returns the value at a key path as text for an address; of a relation, the identifier of its model. Nil if there
  /// is none.
  func routeValue(at path: String) -> String? {
    var model: ModelObject = self
    let keys = path.split(separator: ".").map(String.init)
    for (index, key) in keys.enumerated() {
      guard let field = model.field(declaredAs: key) else { return nil }
      if let relation = field as? any RelationField {
        guard let related = relation.relatedModels.first else { return nil }
        if index == keys.count - 1 { return related.storedIdentifier }
        model = related
        continue
      }
      if index < keys.count - 1 { return nil }
      if field === model.identifierField { return model.storedIdentifier }
      guard let json = try? field.exported(by: FieldWriter(context: .standard)), !json.isNull else { return nil }
      return ParameterEncoder.text(json)
    }
    return nil
  }
}
