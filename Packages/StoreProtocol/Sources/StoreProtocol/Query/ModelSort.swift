/// One criterion of an order: a field, which way, and where models go that have no value there.
///
/// ```swift
/// let query = ModelQuery(Person.self, sort: [.descending(\.age, nils: .last), .ascending(\.name)])
/// let byCompany = ModelQuery(Person.self, sort: [.ascending { $0.company.name.ignoringCase }])
/// ```
///
/// Values are ordered as their type orders them, text by its Unicode scalars: the same in every country. Models that are
/// equal by all criteria stay in the order of their creation.
public struct ModelSort<M: Model>: Hashable, Sendable {
  /// The criterion without the type of the model.
  public var order: QueryOrder

  /// Creates a criterion from one without type.
  public init(_ order: QueryOrder) { self.order = order }

  /// Small values first.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - nils: where models without value go; by default first, as if nil were less than everything.
  public static func ascending<Value: Comparable>(
    _ field: KeyPath<M, Field<Value>>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    ascending(nils: nils) { $0[dynamicMember: field] }
  }

  /// Large values first.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - nils: where models without value go; by default last, as if nil were less than everything.
  public static func descending<Value: Comparable>(
    _ field: KeyPath<M, Field<Value>>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    descending(nils: nils) { $0[dynamicMember: field] }
  }

  /// Small values first, of a property that is declared with `@Field`.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - nils: where models without value go; by default first, as if nil were less than everything.
  public static func ascending<Value: Comparable>(
    _ property: ReferenceWritableKeyPath<M, Value?>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    ascending(nils: nils) { $0[dynamicMember: property] }
  }

  /// Large values first, of a property that is declared with `@Field`.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - nils: where models without value go; by default last, as if nil were less than everything.
  public static func descending<Value: Comparable>(
    _ property: ReferenceWritableKeyPath<M, Value?>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    descending(nils: nils) { $0[dynamicMember: property] }
  }

  /// Small values first, of a property that is declared with `@Required`.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - nils: where models without value go; by default first, as if nil were less than everything.
  public static func ascending<Value: Comparable>(
    _ property: ReferenceWritableKeyPath<M, Value>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    ascending(nils: nils) { $0[dynamicMember: property] }
  }

  /// Large values first, of a property that is declared with `@Required`.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - nils: where models without value go; by default last, as if nil were less than everything.
  public static func descending<Value: Comparable>(
    _ property: ReferenceWritableKeyPath<M, Value>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    descending(nils: nils) { $0[dynamicMember: property] }
  }

  /// Small values first, of a field of a related model, or in any case.
  ///
  /// - Parameters:
  ///   - nils: where models without value go; by default first, as if nil were less than everything.
  ///   - column: gives the field, such as `$0.company.name`.
  public static func ascending<Value: Comparable>(
    nils: QueryOrder.Nils? = nil, _ column: (ModelColumns<M>) -> QueryColumn<Value>
  ) -> ModelSort {
    ModelSort(QueryOrder(column(ModelColumns()).term, nils: nils ?? .first))
  }

  /// Large values first, of a field of a related model, or in any case.
  ///
  /// - Parameters:
  ///   - nils: where models without value go; by default last, as if nil were less than everything.
  ///   - column: gives the field, such as `$0.company.name`.
  public static func descending<Value: Comparable>(
    nils: QueryOrder.Nils? = nil, _ column: (ModelColumns<M>) -> QueryColumn<Value>
  ) -> ModelSort {
    ModelSort(QueryOrder(column(ModelColumns()).term, isDescending: true, nils: nils ?? .last))
  }
}

/// One criterion of an order, for stores that translate it.
///
/// ```swift
/// let order = QueryOrder(QueryTerm(["age"]), isDescending: true, nils: .last)
/// assert("\(order)" == "age descending")
/// ```
public struct QueryOrder: Hashable, Sendable, CustomStringConvertible {
  /// Where models without value go.
  public enum Nils: String, Hashable, Sendable, CaseIterable {
    /// Before those that have one.
    case first
    /// After those that have one.
    case last
  }

  /// The compared term.
  public var term: QueryTerm
  /// Whether large values come first.
  public var isDescending: Bool
  /// Where models without value go.
  public var nils: Nils

  /// Creates a criterion.
  ///
  /// - Parameters:
  ///   - term: what is compared.
  ///   - isDescending: whether large values come first.
  ///   - nils: where models without value go; by default as if nil were less than everything.
  public init(_ term: QueryTerm, isDescending: Bool = false, nils: Nils? = nil) {
    self.term = term
    self.isDescending = isDescending
    self.nils = nils ?? (isDescending ? .last : .first)
  }

  /// The criterion as it is written in a query.
  public var description: String {
    let usual: Nils = isDescending ? .last : .first
    return "\(term)\(isDescending ? " descending" : "")\(nils == usual ? "" : " nils \(nils.rawValue)")"
  }
}
