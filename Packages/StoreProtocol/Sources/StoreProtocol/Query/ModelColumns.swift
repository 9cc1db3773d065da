@_spi(ModelKitInternals) public import ModelCore

/// The fields of a model in a query, as the type of `$0`. A field that the model does not have does not compile.
///
/// ```swift
/// let adults = ModelQuery(
///   Person.self, where: { $0.age >= 18 && $0.company.name.hasPrefix("A") })
/// ```
///
/// | To find | Write |
/// |---|---|
/// | values | `$0.age == 30`, `!=`, `<`, `<=`, `>`, `>=`; with `nil` and another field, too: `$0.from > $0.until` |
/// | one of several | `$0.color.isIn([.red, .green])`, `$0.age.isIn(18...30)`, `(18...30).contains($0.age)` |
/// | text | `$0.name.hasPrefix("A")`, `hasSuffix`, `contains`, `matches(/[a-z]+/)`, `contains(/[0-9]/)` |
/// | text in any case | the same after `$0.name.ignoringCase`; after `ignoringCaseAndAccents` without regular expressions |
/// | words | `$0.title.matches(words: "jane aust*")` |
/// | Booleans | `$0.isActive`, `!$0.isActive` |
/// | lists | `$0.tags.contains("x")`, `$0.tags.contains { $0.hasPrefix("x") }`, `$0.tags.count > 2`, `isEmpty` |
/// | lists as a whole | `$0.tags.contains(anyOf: ["x", "y"])`, `$0.tags.allSatisfy { $0.hasPrefix("x") }` |
/// | related models | `$0.company.name == "Acme"`, `$0.company == acme`, `$0.employees.contains { $0.age > 30 }` |
/// | inside a value | `$0.receipt.pages > 3` |
///
/// See ``QueryExpression`` for the meaning of nil and the comparison of values.
@dynamicMemberLookup
public struct ModelColumns<M: Model> {
  let prototype: M
  let path: QueryPath

  init(_ path: QueryPath = QueryPath()) {
    prototype = M.prototype()
    self.path = path
  }

  private func path(to field: AnyField) -> QueryPath { path.appending(field.key ?? "?") }

  /// - Parameter property: the property that the error names if it has no field.
  private func path(to field: AnyField?, _ property: AnyKeyPath) -> QueryPath {
    path.appending(field?.key ?? "\(property)")
  }

  /// A field of the model.
  public subscript<Value>(dynamicMember keyPath: KeyPath<M, Field<Value>>) -> QueryColumn<Value> {
    let field = prototype[keyPath: keyPath]
    return QueryColumn(field: field, term: QueryTerm(path(to: field)))
  }

  /// A Boolean field of the model, as a condition.
  public subscript(dynamicMember keyPath: KeyPath<M, Field<Bool>>) -> QueryExpression {
    .comparison(QueryComparison(QueryTerm(path(to: prototype[keyPath: keyPath])), .equal, .value(true)))
  }

  /// A list of the model.
  public subscript<Element>(dynamicMember keyPath: KeyPath<M, ArrayField<Element>>) -> QueryListColumn<Element> {
    let field = prototype[keyPath: keyPath]
    return QueryListColumn(field: field, path: path(to: field))
  }

  /// The fields of a related model.
  public subscript<Related: Model>(dynamicMember keyPath: KeyPath<M, ModelField<Related>>) -> ModelColumns<Related> {
    ModelColumns<Related>(path(to: prototype[keyPath: keyPath]))
  }

  /// A to-many relation.
  public subscript<Related: Model>(
    dynamicMember keyPath: KeyPath<M, ModelArrayField<Related>>
  ) -> QueryRelationColumn<Related> {
    QueryRelationColumn(path: path(to: prototype[keyPath: keyPath]))
  }

  // MARK: Ordinary properties

  /// A property of the model that is declared with `@Field`.
  public subscript<Value>(dynamicMember property: ReferenceWritableKeyPath<M, Value?>) -> QueryColumn<Value> {
    let field = prototype.field(of: property)
    return QueryColumn(field: field ?? Field(), term: QueryTerm(path(to: field, property)))
  }

  /// A property of the model that is declared with `@Required`.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember property: ReferenceWritableKeyPath<M, Value>) -> QueryColumn<Value> {
    let field = prototype.field(of: property)
    return QueryColumn(field: field ?? Field(), term: QueryTerm(path(to: field, property)))
  }

  /// A Boolean property of the model, as a condition.
  public subscript(dynamicMember property: ReferenceWritableKeyPath<M, Bool?>) -> QueryExpression {
    .comparison(QueryComparison(QueryTerm(path(to: prototype.field(of: property), property)), .equal, .value(true)))
  }

  /// A Boolean property of the model that is not optional, as a condition.
  public subscript(dynamicMember property: ReferenceWritableKeyPath<M, Bool>) -> QueryExpression {
    .comparison(QueryComparison(QueryTerm(path(to: prototype.field(of: property), property)), .equal, .value(true)))
  }

  /// A list of the model.
  public subscript<Element>(dynamicMember property: ReferenceWritableKeyPath<M, [Element]?>) -> QueryListColumn<Element>
  {
    let field = prototype.field(of: property)
    return QueryListColumn(field: field ?? Field(), path: path(to: field, property))
  }

  /// A list of the model that is not optional.
  public subscript<Element>(dynamicMember property: ReferenceWritableKeyPath<M, [Element]>) -> QueryListColumn<Element>
  {
    let field = prototype.field(of: property)
    return QueryListColumn(field: field ?? Field(), path: path(to: field, property))
  }

  /// The fields of a related model.
  public subscript<Related: Model>(dynamicMember property: ReferenceWritableKeyPath<M, Related?>) -> ModelColumns<
    Related
  > {
    ModelColumns<Related>(path(to: prototype.field(of: property), property))
  }

  /// A to-many relation.
  public subscript<Related: Model>(
    dynamicMember property: ReferenceWritableKeyPath<M, [Related]?>
  ) -> QueryRelationColumn<Related> {
    QueryRelationColumn(path: path(to: prototype.field(of: property), property))
  }

  // MARK: Related models

  /// Returns the condition that the relation references the model with the same identifier; with nil, that it
  /// references none.
  public static func == (columns: ModelColumns, model: M?) -> QueryExpression {
    guard let model else { return .comparison(QueryComparison(QueryTerm(columns.path), .equal, .value(.null))) }
    guard let identifier = model.identifier, let key = columns.prototype.identifierField?.key,
      let value = columns.prototype.storedValue(ofIdentifier: identifier, in: .standard)
    else { return .constant(false) }
    return .comparison(QueryComparison(QueryTerm(columns.path.appending(key)), .equal, .value(value.value)))
  }

  /// Returns the condition that the relation references another model or none; with nil, that it references one.
  public static func != (columns: ModelColumns, model: M?) -> QueryExpression {
    guard model != nil else { return .comparison(QueryComparison(QueryTerm(columns.path), .notEqual, .value(.null))) }
    guard case .comparison(var comparison) = columns == model else { return .constant(true) }
    comparison.operator = .notEqual
    return .comparison(comparison)
  }
}

/// A list of a model in a query.
///
/// ```swift
/// let tagged = ModelQuery(
///   Person.self, where: { $0.tags.contains("new") || $0.tags.count > 5 })
/// ```
public struct QueryListColumn<Element> {
  let field: Field<[Element]>
  let path: QueryPath

  /// Returns the condition that another condition holds for an element of the list. It does not hold for nil.
  public func contains(_ condition: (QueryColumn<Element>) -> QueryExpression) -> QueryExpression {
    let element = (field as? ArrayField<Element>)?.elementPrototype as? Field<Element>
    return .any(path, condition(QueryColumn(field: element ?? Field(), term: QueryTerm(QueryPath()))))
  }

  /// Returns the condition that the list contains an element.
  public func contains(_ element: Element) -> QueryExpression where Element: Equatable { contains { $0 == element } }

  /// Returns the condition that the list contains one of several elements, or more.
  public func contains(anyOf elements: some Sequence<Element>) -> QueryExpression where Element: Equatable {
    contains { $0.isIn(elements) }
  }

  /// Returns the condition that another condition holds for all elements of the list. It holds for an empty list, and
  /// for nil.
  public func allSatisfy(_ condition: (QueryColumn<Element>) -> QueryExpression) -> QueryExpression {
    !contains { !condition($0) }
  }

  /// Returns the condition that an element of the list has all words of a search. See `QueryColumn.matches(words:)`.
  public func matches(words: String) -> QueryExpression where Element == String {
    contains { $0.matches(words: words) }
  }

  /// The number of elements of the list; 0 for nil.
  public var count: QueryColumn<Int> {
    QueryColumn(countOf: path) { json, context in try field.value(readFrom: json, in: context)?.count ?? 0 }
  }

  /// The condition that the list has no elements, or is nil.
  public var isEmpty: QueryExpression { .not(.any(path, .constant(true))) }

  /// Returns the condition that the list has exactly these elements in this order.
  public static func == (list: QueryListColumn, value: [Element]?) -> QueryExpression where Element: Equatable {
    QueryColumn(field: list.field, term: QueryTerm(list.path)) == value
  }

  /// Returns the condition that the list does not have exactly these elements in this order.
  public static func != (list: QueryListColumn, value: [Element]?) -> QueryExpression where Element: Equatable {
    QueryColumn(field: list.field, term: QueryTerm(list.path)) != value
  }
}

/// A to-many relation in a query.
///
/// ```swift
/// let old = ModelQuery(
///   Company.self, where: { $0.employees.contains { $0.age > 60 } })
/// ```
public struct QueryRelationColumn<Related: Model> {
  let path: QueryPath

  /// Returns the condition that another condition holds for a related model.
  public func contains(_ condition: (ModelColumns<Related>) -> QueryExpression) -> QueryExpression {
    .any(path, condition(ModelColumns()))
  }

  /// Returns the condition that the model with the same identifier is one of the related models.
  public func contains(_ model: Related) -> QueryExpression { contains { $0 == model } }

  /// Returns the condition that one of several models is among the related ones, or more.
  ///
  /// - Parameter models: the models. Those without an identifier are related to no stored model.
  public func contains(anyOf models: some Sequence<Related>) -> QueryExpression {
    contains { columns in
      guard let key = columns.prototype.identifierField?.key else { return .constant(false) }
      let values = models.compactMap { model in
        model.identifier.flatMap { columns.prototype.storedValue(ofIdentifier: $0, in: .standard)?.value }
      }
      return .comparison(QueryComparison(QueryTerm(columns.path.appending(key)), .isIn, .value(.array(values))))
    }
  }

  /// Returns the condition that another condition holds for all related models. It holds if there are none.
  public func allSatisfy(_ condition: (ModelColumns<Related>) -> QueryExpression) -> QueryExpression {
    !contains { !condition($0) }
  }

  /// The number of related models.
  public var count: QueryColumn<Int> { QueryColumn(countOf: path, nil) }

  /// The condition that there are no related models.
  public var isEmpty: QueryExpression { .not(.any(path, .constant(true))) }
}
