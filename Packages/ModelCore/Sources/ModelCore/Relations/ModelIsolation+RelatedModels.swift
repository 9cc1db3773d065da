@_spi(ModelKitInternals) import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// The related models of which only the identifier is known: those to be fetched.
  ///
  /// ```swift
  /// for company in person.incompleteChildModels() { print(company.loadState) }  // incomplete
  /// ```
  ///
  /// - Parameter recursive: whether to look at all models that can be reached, instead of those that this one leads to.
  /// - Returns: each model once, in the order in which it is found, members of lists included.
  /// - Complexity: O(*n*) in the number of links that are looked at.
  public func incompleteChildModels(recursive: Bool = false) -> [ModelObject] {
    relatedModels(recursive: recursive) { _ in true }.filter { $0.modelLoadState == .incomplete }
  }

  /// The models to which relations lead that are written as identifiers, wherever in the graph below this model.
  ///
  /// - Returns: each model once, in the order in which it is found.
  /// - Complexity: O(*n*) in the number of links of the graph.
  public func foreignKeyModels() -> [ModelObject] {
    relatedModels(recursive: true, where: \.isForeignKey)
  }
}

extension ModelObject {
  var relations: [any Relation] {
    var relations: [any Relation] = []
    layout.forEachField(of: self) { field, _ in
      if field.isRelation, let relation = field as? any Relation { relations.append(relation) }
    }
    return relations
  }

  fileprivate func relatedModels(recursive: Bool, where isChosen: (any Relation) -> Bool) -> [ModelObject] {
    var visited: Set<ModelObject> = [self]
    var found: Set<ModelObject> = []
    var chosen: [ModelObject] = []
    var pending = [self]
    var next = 0
    // By a queue, not by calls: a graph may be deeper than the stack.
    while next < pending.count {
      let model = pending[next]
      next += 1
      for relation in model.relations {
        let isChosen = isChosen(relation)
        for related in relation.relatedModels {
          if isChosen, found.insert(related).inserted { chosen.append(related) }
          if recursive, visited.insert(related).inserted { pending.append(related) }
        }
      }
    }
    return chosen
  }
}
