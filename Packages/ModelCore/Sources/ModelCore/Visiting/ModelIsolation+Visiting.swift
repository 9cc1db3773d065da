@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Visits the fields of this model and of all models that can be reached from it, each model once.
  ///
  /// Fields are visited in the order of ``fields``; the fields of a related model follow the relation that references
  /// it. Each model of a cycle is visited once. A chain may be as long as memory allows.
  ///
  /// - Parameters:
  ///   - recursive: whether to visit related models as well.
  ///   - action: receives each field.
  public func visitAllFields(recursive: Bool = true, action: (AnyField) -> Void) {
    GraphWalk.fields(from: self, recursive: recursive) { action($0) }
  }

  /// Visits the values of all fields that ``visitAllFields(recursive:action:)`` visits, nil included. For a list, the
  /// action receives the list and then each element.
  ///
  /// - Parameters:
  ///   - recursive: whether to visit related models as well.
  ///   - action: receives each value.
  public func visitAllFieldValues(recursive: Bool = true, action: (Any?) -> Void) {
    GraphWalk.fields(from: self, recursive: recursive) { field in
      let value = field.anyValue
      action(value)
      if let elements = value as? [Any] { for element in elements { action(element) } }
    }
  }

  /// Returns the related models that are unloaded references.
  ///
  /// - Parameter recursive: whether to include the related models of related models.
  /// - Returns: each model once, in the order of the visit; never this model itself.
  public func incompleteModels(recursive: Bool = true) -> [ModelObject] {
    relatedModels(recursive: recursive) { _ in true }.filter { $0.modelLoadState == .incomplete }
  }

  /// Returns the models that foreign keys reference, from this model and all that can be reached from it.
  ///
  /// - Returns: each model once, in the order of the visit.
  public func foreignKeyModels() -> [ModelObject] { relatedModels(recursive: true, where: \.isForeignKey) }
}

extension ModelObject {
  fileprivate func relatedModels(recursive: Bool, where counts: (any Relation) -> Bool) -> [ModelObject] {
    var models: [ModelObject] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
    GraphWalk.fields(from: self, recursive: recursive) { field in
      guard let relation = field as? any Relation, counts(relation) else { return }
      for model in relation.relatedModels where seen.insert(ObjectIdentifier(model)).inserted { models.append(model) }
    }
    return models
  }
}
