@_spi(ModelKitInternals) import ModelCore

/// A field of a model in a query that is named by a text: for types of model that are known only when the program runs.
///
/// ```swift
/// let authors = try await store.list(schema.modelType("Author"), where: { $0["name"] == "Nina" && $0["born"] < date })
/// let readers = try await store.list(people, where: { $0["company"]["name"].hasPrefix("A") })
/// ```
///
/// Values have the type they are compared with, and have to fit that of the field. A query that compares a number with
/// text throws `invalid`, and so does one that names a missing field. Fields are named by their key, or by the
/// name of the property or attribute.
public struct QueryKeyColumn {
  let path: QueryPath
  let form: QueryTerm.Form
  /// The field, as far as it is known.
  let field: AnyField?

  init(_ path: QueryPath, form: QueryTerm.Form = .value, field: AnyField?) {
    self.path = path
    self.form = form
    self.field = field
  }

  private var term: QueryTerm { QueryTerm(path, form: form) }

  /// The column as one of values of a type.
  private func column<Value>(_ type: Value.Type = Value.self) -> QueryColumn<Value> {
    QueryColumn(field: field as? Field<Value> ?? Field(), term: term)
  }

  private func compare(_ operation: QueryComparison.Operator, _ operand: QueryComparison.Operand) -> QueryExpression {
    .comparison(QueryComparison(term, operation, operand))
  }

  /// A field of the model that this relation references.
  public subscript(name: String) -> QueryKeyColumn {
    let related = (field as? any RelationField)?.relatedClass.init()
    return QueryKeyColumn(path.appending(name), field: related?.field(declaredAs: name))
  }

  /// The text in small letters; what it is compared with is then meant in small letters, too.
  public var ignoringCase: QueryKeyColumn { QueryKeyColumn(path, form: .ignoringCase, field: field) }

  // MARK: Values

  /// Whether the field has this value; with nil, whether it has none.
  public static func == <Value: Equatable>(column: QueryKeyColumn, value: Value?) -> QueryExpression {
    column.column() == value
  }

  /// Whether the field has another value, or none; with nil, whether it has one.
  public static func != <Value: Equatable>(column: QueryKeyColumn, value: Value?) -> QueryExpression {
    column.column() != value
  }

  /// Whether the field has no value.
  public static func == (column: QueryKeyColumn, value: _OptionalNilComparisonType) -> QueryExpression {
    column.compare(.equal, .value(.null))
  }

  /// Whether the field has a value.
  public static func != (column: QueryKeyColumn, value: _OptionalNilComparisonType) -> QueryExpression {
    column.compare(.notEqual, .value(.null))
  }

  /// Whether the field is less than a value.
  public static func < <Value: Comparable>(column: QueryKeyColumn, value: Value) -> QueryExpression {
    column.column() < value
  }

  /// Whether the field is at most a value.
  public static func <= <Value: Comparable>(column: QueryKeyColumn, value: Value) -> QueryExpression {
    column.column() <= value
  }

  /// Whether the field is greater than a value.
  public static func > <Value: Comparable>(column: QueryKeyColumn, value: Value) -> QueryExpression {
    column.column() > value
  }

  /// Whether the field is at least a value.
  public static func >= <Value: Comparable>(column: QueryKeyColumn, value: Value) -> QueryExpression {
    column.column() >= value
  }

  // Disfavoured, because ranges of integers are sequences as well.
  /// Whether the value of the field is among these.
  @_disfavoredOverload
  public func isIn<Value: Equatable>(_ values: some Sequence<Value>) -> QueryExpression { column().isIn(values) }

  /// Whether the value of the field is in a range.
  public func isIn<Value: Comparable>(_ range: ClosedRange<Value>) -> QueryExpression { column().isIn(range) }

  /// Whether the value of the field is in a range.
  public func isIn<Value: Comparable>(_ range: Range<Value>) -> QueryExpression { column().isIn(range) }

  // MARK: Other fields

  /// Whether both fields have the same value, or none.
  public static func == (left: QueryKeyColumn, right: QueryKeyColumn) -> QueryExpression {
    left.compare(.equal, .term(right.term))
  }

  /// Whether the fields differ.
  public static func != (left: QueryKeyColumn, right: QueryKeyColumn) -> QueryExpression {
    left.compare(.notEqual, .term(right.term))
  }

  /// Whether the field is less than another one.
  public static func < (left: QueryKeyColumn, right: QueryKeyColumn) -> QueryExpression {
    left.compare(.less, .term(right.term))
  }

  /// Whether the field is greater than another one.
  public static func > (left: QueryKeyColumn, right: QueryKeyColumn) -> QueryExpression {
    left.compare(.greater, .term(right.term))
  }

  // MARK: Text

  /// Whether the text begins with another one.
  public func hasPrefix(_ text: String) -> QueryExpression { column().hasPrefix(text) }

  /// Whether the text ends with another one.
  public func hasSuffix(_ text: String) -> QueryExpression { column().hasSuffix(text) }

  /// Whether a regular expression matches the whole text.
  public func matches(_ regex: Regex<some Any>) -> QueryExpression { column().matches(regex) }

  /// Whether a regular expression matches a part of the text.
  public func contains(_ regex: Regex<some Any>) -> QueryExpression { column().contains(regex) }

  // MARK: Lists and relations

  /// Whether another text is in the text, or this element in the list: as the field is.
  public func contains<Value: Equatable>(_ value: Value) -> QueryExpression {
    let isText = field.map { $0.valueType == String.self } ?? false
    if isText, let text = value as? String { return column().contains(text) }
    return contains { $0 == value }
  }

  /// Whether for an element of the list, or a related model, the condition holds.
  ///
  /// - Parameter condition: is given the element, or the related model, whose fields it can name.
  public func contains(_ condition: (QueryKeyColumn) -> QueryExpression) -> QueryExpression {
    .any(path, condition(QueryKeyColumn(QueryPath(), field: field.flatMap { $0 is any RelationField ? $0 : nil })))
  }

  /// How many elements the list has, or related models there are; 0 for nil.
  public var count: QueryColumn<Int> { QueryColumn(field: Field(), term: QueryTerm(path, form: .count)) }

  /// Whether the list has no element, or there is no related model.
  public var isEmpty: QueryExpression { .not(.any(path, .constant(true))) }

  // MARK: Models

  /// Whether the relation references the model with the same identifier.
  public static func == <M: Model>(column: QueryKeyColumn, model: M) -> QueryExpression {
    column.identifies(model).map { .comparison($0) } ?? .constant(false)
  }

  /// Whether the relation references another model, or none.
  public static func != <M: Model>(column: QueryKeyColumn, model: M) -> QueryExpression {
    guard var comparison = column.identifies(model) else { return .constant(true) }
    comparison.operator = .notEqual
    return .comparison(comparison)
  }

  /// Whether the model with the same identifier is among the related ones.
  public func contains<M: Model>(_ model: M) -> QueryExpression { contains { $0 == model } }

  /// The condition that the relation references the model; nil if the model has no identifier.
  private func identifies(_ model: ModelObject) -> QueryComparison? {
    guard let identifier = model.storedIdentifier, let key = model.identifierField?.key,
      let value = model.storedValue(ofIdentifier: identifier, in: .standard)
    else { return nil }
    return QueryComparison(QueryTerm(path.appending(key)), .equal, .value(value.value))
  }
}

extension ModelColumns {
  init(prototype: M, path: QueryPath = QueryPath()) {
    self.prototype = prototype
    self.path = path
  }

  /// A field by its key, or by the name of the property or attribute: for types of model that are known only when the
  /// program runs. See ``QueryKeyColumn``.
  public subscript(name: String) -> QueryKeyColumn {
    QueryKeyColumn(path.appending(name), field: prototype.field(declaredAs: name))
  }
}

extension ModelSort {
  /// Small values first, of a field that is named by a text, such as `$0["company"]["name"]`.
  ///
  /// - Parameters:
  ///   - nils: where models without value go; by default first, as if nil were less than everything.
  ///   - column: gives the field.
  public static func ascending(
    nils: QueryOrder.Nils? = nil, _ column: (ModelColumns<M>) -> QueryKeyColumn
  ) -> ModelSort {
    let column = column(ModelColumns())
    return ModelSort(QueryOrder(QueryTerm(column.path, form: column.form), nils: nils ?? .first))
  }

  /// Large values first, of a field that is named by a text, such as `$0["company"]["name"]`.
  ///
  /// - Parameters:
  ///   - nils: where models without value go; by default last, as if nil were less than everything.
  ///   - column: gives the field.
  public static func descending(
    nils: QueryOrder.Nils? = nil, _ column: (ModelColumns<M>) -> QueryKeyColumn
  ) -> ModelSort {
    let column = column(ModelColumns())
    return ModelSort(QueryOrder(QueryTerm(column.path, form: column.form), isDescending: true, nils: nils ?? .last))
  }
}
