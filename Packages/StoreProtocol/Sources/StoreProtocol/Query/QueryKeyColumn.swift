@_spi(ModelKitInternals) import ModelCore

/// A field of a model in a query that is named by a text, for model types that are known only at runtime.
///
/// ```swift
/// let authors = try await store.list(
///   schema.modelType("Author"),
///   where: { $0["name"] == "Nina" && $0["born"] < date })
/// let readers = try await store.list(
///   people, where: { $0["company"]["name"].hasPrefix("A") })
/// ```
///
/// The type of an operand has to fit that of the field. A query that compares a number with a text throws `invalid`, as
/// does one that names a missing field. A field is named by its key, or by the name of the property or attribute.
public struct QueryKeyColumn {
  let path: QueryPath
  let form: QueryTerm.Form
  /// The field, if it is known.
  let field: AnyField?

  init(_ path: QueryPath, form: QueryTerm.Form = .value, field: AnyField?) {
    self.path = path
    self.form = form
    self.field = field
  }

  private var term: QueryTerm { QueryTerm(path, form: form) }

  /// Returns the column as one with values of a type.
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

  /// The text with its case folded, as by `QueryColumn.ignoringCase`. The operand of a comparison is folded, too.
  public var ignoringCase: QueryKeyColumn { QueryKeyColumn(path, form: .ignoringCase, field: field) }

  /// The text without case and accents, as by `QueryColumn.ignoringCaseAndAccents`. The operand of a comparison is
  /// folded, too.
  public var ignoringCaseAndAccents: QueryKeyColumn {
    QueryKeyColumn(path, form: .ignoringCaseAndAccents, field: field)
  }

  // MARK: Values

  /// Returns the condition that the field has this value; with nil, that it has none.
  public static func == <Value: Equatable>(column: QueryKeyColumn, value: Value?) -> QueryExpression {
    column.column() == value
  }

  /// Returns the condition that the field has another value or none; with nil, that it has one.
  public static func != <Value: Equatable>(column: QueryKeyColumn, value: Value?) -> QueryExpression {
    column.column() != value
  }

  /// Returns the condition that the field has no value.
  public static func == (column: QueryKeyColumn, value: _OptionalNilComparisonType) -> QueryExpression {
    column.compare(.equal, .value(.null))
  }

  /// Returns the condition that the field has a value.
  public static func != (column: QueryKeyColumn, value: _OptionalNilComparisonType) -> QueryExpression {
    column.compare(.notEqual, .value(.null))
  }

  /// Returns the condition that the field is less than a value.
  public static func < <Value: Comparable>(column: QueryKeyColumn, value: Value) -> QueryExpression {
    column.column() < value
  }

  /// Returns the condition that the field is at most a value.
  public static func <= <Value: Comparable>(column: QueryKeyColumn, value: Value) -> QueryExpression {
    column.column() <= value
  }

  /// Returns the condition that the field is greater than a value.
  public static func > <Value: Comparable>(column: QueryKeyColumn, value: Value) -> QueryExpression {
    column.column() > value
  }

  /// Returns the condition that the field is at least a value.
  public static func >= <Value: Comparable>(column: QueryKeyColumn, value: Value) -> QueryExpression {
    column.column() >= value
  }

  // Disfavoured, because ranges of integers are sequences as well.
  /// Returns the condition that the value of the field is one of these.
  @_disfavoredOverload
  public func isIn<Value: Equatable>(_ values: some Sequence<Value>) -> QueryExpression { column().isIn(values) }

  /// Returns the condition that the value of the field is in a range.
  public func isIn<Value: Comparable>(_ range: ClosedRange<Value>) -> QueryExpression { column().isIn(range) }

  /// Returns the condition that the value of the field is in a range.
  public func isIn<Value: Comparable>(_ range: Range<Value>) -> QueryExpression { column().isIn(range) }

  // MARK: Other fields

  /// Returns the condition that both fields have the same value or none.
  public static func == (left: QueryKeyColumn, right: QueryKeyColumn) -> QueryExpression {
    left.compare(.equal, .term(right.term))
  }

  /// Returns the condition that the fields differ.
  public static func != (left: QueryKeyColumn, right: QueryKeyColumn) -> QueryExpression {
    left.compare(.notEqual, .term(right.term))
  }

  /// Returns the condition that the field is less than another one.
  public static func < (left: QueryKeyColumn, right: QueryKeyColumn) -> QueryExpression {
    left.compare(.less, .term(right.term))
  }

  /// Returns the condition that the field is greater than another one.
  public static func > (left: QueryKeyColumn, right: QueryKeyColumn) -> QueryExpression {
    left.compare(.greater, .term(right.term))
  }

  // MARK: Text

  /// Returns the condition that the text begins with another one.
  public func hasPrefix(_ text: String) -> QueryExpression { column().hasPrefix(text) }

  /// Returns the condition that the text ends with another one.
  public func hasSuffix(_ text: String) -> QueryExpression { column().hasSuffix(text) }

  /// Returns the condition that a regular expression matches the whole text.
  public func matches(_ regex: Regex<some Any>) -> QueryExpression { column().matches(regex) }

  /// Returns the condition that a regular expression matches a part of the text.
  public func contains(_ regex: Regex<some Any>) -> QueryExpression { column().contains(regex) }

  /// Returns the condition that the text has all words of a search, or that an element of the list has. See
  /// `QueryColumn.matches(words:)`.
  public func matches(words: String) -> QueryExpression {
    let matches = column(String.self).matches(words: words)
    guard field.map({ $0.valueType == [String].self }) ?? false else { return matches }
    return contains { $0.matches(words: words) }
  }

  // MARK: Lists and relations

  /// Returns the condition that a text field contains another text, or that a list contains an element.
  public func contains<Value: Equatable>(_ value: Value) -> QueryExpression {
    let isText = field.map { $0.valueType == String.self } ?? false
    if isText, let text = value as? String { return column().contains(text) }
    return contains { $0 == value }
  }

  /// Returns the condition that another condition holds for an element of the list, or for a related model.
  ///
  /// - Parameter condition: receives the element, or the related model, whose fields it can name.
  public func contains(_ condition: (QueryKeyColumn) -> QueryExpression) -> QueryExpression {
    .any(path, condition(QueryKeyColumn(QueryPath(), field: field.flatMap { $0 is any RelationField ? $0 : nil })))
  }

  /// The number of elements of the list, or of related models; 0 for nil.
  public var count: QueryColumn<Int> { QueryColumn(countOf: path, nil) }

  /// The condition that the list has no elements, or that there are no related models.
  public var isEmpty: QueryExpression { .not(.any(path, .constant(true))) }

  // MARK: Models

  /// Returns the condition that the relation references the model with the same identifier.
  public static func == <M: Model>(column: QueryKeyColumn, model: M) -> QueryExpression {
    column.identifies(model).map { .comparison($0) } ?? .constant(false)
  }

  /// Returns the condition that the relation references another model or none.
  public static func != <M: Model>(column: QueryKeyColumn, model: M) -> QueryExpression {
    guard var comparison = column.identifies(model) else { return .constant(true) }
    comparison.operator = .notEqual
    return .comparison(comparison)
  }

  /// Returns the condition that the model with the same identifier is one of the related models.
  public func contains<M: Model>(_ model: M) -> QueryExpression { contains { $0 == model } }

  /// Returns the comparison that holds if the relation references the model; nil if the model has no identifier.
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

  /// A field by its key, or by the name of the property or attribute, for model types that are known only at runtime.
  /// See ``QueryKeyColumn``.
  public subscript(name: String) -> QueryKeyColumn {
    QueryKeyColumn(path.appending(name), field: prototype.field(declaredAs: name))
  }
}

extension ModelSort {
  /// Returns a criterion that sorts by a field that is named by a text, with small values first.
  ///
  /// - Parameters:
  ///   - nils: the position of models without a value; first by default, as if nil were less than all values.
  ///   - column: returns the field, such as `$0["company"]["name"]`.
  public static func ascending(
    nils: QueryOrder.Nils? = nil, _ column: (ModelColumns<M>) -> QueryKeyColumn
  ) -> ModelSort {
    let column = column(ModelColumns())
    return ModelSort(QueryOrder(QueryTerm(column.path, form: column.form), nils: nils ?? .first))
  }

  /// Returns a criterion that sorts by a field that is named by a text, with large values first.
  ///
  /// - Parameters:
  ///   - nils: the position of models without a value; last by default, as if nil were less than all values.
  ///   - column: returns the field, such as `$0["company"]["name"]`.
  public static func descending(
    nils: QueryOrder.Nils? = nil, _ column: (ModelColumns<M>) -> QueryKeyColumn
  ) -> ModelSort {
    let column = column(ModelColumns())
    return ModelSort(QueryOrder(QueryTerm(column.path, form: column.form), isDescending: true, nils: nils ?? .last))
  }
}
