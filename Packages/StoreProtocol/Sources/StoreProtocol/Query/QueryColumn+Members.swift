@_spi(ModelKitInternals) import FieldKit

extension QueryColumn {
  /// Returns the path of the member that a property of the value is. A query rejects the path of any other property.
  private func path<Content>(to property: KeyPath<Value, Content>) -> QueryPath {
    term.path.appending(ValueMembers.key(of: property))
  }

  private func column<Content, Member>(_ property: KeyPath<Value, Content>) -> QueryColumn<Member> {
    QueryColumn<Member>(field: Field(sensitive: field.isSensitive), term: QueryTerm(path(to: property)))
  }

  /// A member inside the value, such as `$0.receipt.pages`.
  @_disfavoredOverload
  public subscript<Member>(dynamicMember property: KeyPath<Value, Member>) -> QueryColumn<Member> {
    column(property)
  }

  /// An optional member inside the value.
  public subscript<Member>(dynamicMember property: KeyPath<Value, Member?>) -> QueryColumn<Member> {
    column(property)
  }

  /// A Boolean member inside the value, as a condition.
  public subscript(dynamicMember property: KeyPath<Value, Bool>) -> QueryExpression {
    .comparison(QueryComparison(QueryTerm(path(to: property)), .equal, .value(true)))
  }

  /// An optional Boolean member inside the value, as a condition.
  public subscript(dynamicMember property: KeyPath<Value, Bool?>) -> QueryExpression {
    .comparison(QueryComparison(QueryTerm(path(to: property)), .equal, .value(true)))
  }

  /// A list inside the value.
  public subscript<Element>(dynamicMember property: KeyPath<Value, [Element]>) -> QueryListColumn<Element> {
    QueryListColumn(field: Field(), path: path(to: property))
  }

  /// An optional list inside the value.
  public subscript<Element>(dynamicMember property: KeyPath<Value, [Element]?>) -> QueryListColumn<Element> {
    QueryListColumn(field: Field(), path: path(to: property))
  }
}
