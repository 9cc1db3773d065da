/// A sort criterion: a field, the direction, and the position of models without a value.
///
/// ```swift
/// let query = ModelQuery(
///   Person.self, sort: [.descending(\.age, nils: .last), .ascending(\.name)])
/// let byCompany = ModelQuery(
///   Person.self, sort: [.ascending { $0.company.name.ignoringCase }])
/// ```
///
/// Values are in the order of their type, and text is in the order of its Unicode scalars, the same for every locale.
/// Models that are equal by all criteria stay in the order of their creation.
public struct ModelSort<M: Model>: Hashable, Sendable {
  /// The criterion without the type of the model.
  public var order: QueryOrder

  /// Creates a criterion from one without the type of the model.
  public init(_ order: QueryOrder) { self.order = order }

  /// Returns a criterion that sorts by a field, with small values first.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - nils: the position of models without a value; first by default, as if nil were less than all values.
  public static func ascending<Value: Comparable>(
    _ field: KeyPath<M, Field<Value>>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    ascending(nils: nils) { $0[dynamicMember: field] }
  }

  /// Returns a criterion that sorts by a field, with large values first.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - nils: the position of models without a value; last by default, as if nil were less than all values.
  public static func descending<Value: Comparable>(
    _ field: KeyPath<M, Field<Value>>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    descending(nils: nils) { $0[dynamicMember: field] }
  }

  /// Returns a criterion that sorts by a property declared with `@Field`, with small values first.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - nils: the position of models without a value; first by default, as if nil were less than all values.
  public static func ascending<Value: Comparable>(
    _ property: ReferenceWritableKeyPath<M, Value?>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    ascending(nils: nils) { $0[dynamicMember: property] }
  }

  /// Returns a criterion that sorts by a property declared with `@Field`, with large values first.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - nils: the position of models without a value; last by default, as if nil were less than all values.
  public static func descending<Value: Comparable>(
    _ property: ReferenceWritableKeyPath<M, Value?>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    descending(nils: nils) { $0[dynamicMember: property] }
  }

  /// Returns a criterion that sorts by a property declared with `@Required`, with small values first.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - nils: the position of models without a value; first by default, as if nil were less than all values.
  public static func ascending<Value: Comparable>(
    _ property: ReferenceWritableKeyPath<M, Value>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    ascending(nils: nils) { $0[dynamicMember: property] }
  }

  /// Returns a criterion that sorts by a property declared with `@Required`, with large values first.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - nils: the position of models without a value; last by default, as if nil were less than all values.
  public static func descending<Value: Comparable>(
    _ property: ReferenceWritableKeyPath<M, Value>, nils: QueryOrder.Nils? = nil
  ) -> ModelSort {
    descending(nils: nils) { $0[dynamicMember: property] }
  }

  /// Returns a criterion that sorts by a column, with small values first. The column can be of a related model, or
  /// ignore case.
  ///
  /// - Parameters:
  ///   - nils: the position of models without a value; first by default, as if nil were less than all values.
  ///   - column: returns the column, such as `$0.company.name`.
  public static func ascending<Value: Comparable>(
    nils: QueryOrder.Nils? = nil, _ column: (ModelColumns<M>) -> QueryColumn<Value>
  ) -> ModelSort {
    ModelSort(QueryOrder(column(ModelColumns()).term, nils: nils ?? .first))
  }

  /// Returns a criterion that sorts by a column, with large values first. The column can be of a related model, or
  /// ignore case.
  ///
  /// - Parameters:
  ///   - nils: the position of models without a value; last by default, as if nil were less than all values.
  ///   - column: returns the column, such as `$0.company.name`.
  public static func descending<Value: Comparable>(
    nils: QueryOrder.Nils? = nil, _ column: (ModelColumns<M>) -> QueryColumn<Value>
  ) -> ModelSort {
    ModelSort(QueryOrder(column(ModelColumns()).term, isDescending: true, nils: nils ?? .last))
  }
}

/// A sort criterion without the type of the model, for stores that translate it.
///
/// ```swift
/// let order = QueryOrder(QueryTerm(["age"]), isDescending: true, nils: .last)
/// assert("\(order)" == "age descending")
/// ```
public struct QueryOrder: Hashable, Sendable, CustomStringConvertible {
  /// The position of models without a value.
  public enum Nils: String, Hashable, Sendable, CaseIterable {
    /// Before the models with a value.
    case first
    /// After the models with a value.
    case last
  }

  /// The compared term.
  public var term: QueryTerm
  /// Whether large values come first.
  public var isDescending: Bool
  /// The position of models without a value.
  public var nils: Nils

  /// Creates a criterion.
  ///
  /// - Parameters:
  ///   - term: the compared term.
  ///   - isDescending: whether large values come first.
  ///   - nils: the position of models without a value; by default as if nil were less than all values.
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
