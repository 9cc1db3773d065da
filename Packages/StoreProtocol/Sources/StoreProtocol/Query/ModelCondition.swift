/// A condition about models of a class: a value that can be named, combined and used in many queries.
///
/// ```swift
/// extension Book {
///   static let isRated = ModelCondition<Book> { $0.rating != nil }
///   static func isFrom(_ year: Int) -> ModelCondition<Book> {
///     ModelCondition { $0.year == year }
///   }
/// }
///
/// let unrated = ModelQuery(matching: !Book.isRated && !Book.isFrom(1984))
/// ```
///
/// Inside the closure of a condition it is an expression: `{ $0.price > 3 && Book.isRated.expression }`.
public struct ModelCondition<M: Model>: Hashable, Sendable, CustomStringConvertible {
  /// The condition without the type of the models.
  public var expression: QueryExpression

  /// Creates a condition.
  ///
  /// - Parameter condition: returns the condition; see ``ModelColumns``.
  public init(_ condition: (ModelColumns<M>) -> QueryExpression) { expression = condition(ModelColumns()) }

  private init(_ expression: QueryExpression) { self.expression = expression }

  /// Returns the condition that both conditions hold.
  public static func && (left: ModelCondition, right: ModelCondition) -> ModelCondition {
    ModelCondition(left.expression && right.expression)
  }

  /// Returns the condition that one of the conditions holds, or both.
  public static func || (left: ModelCondition, right: ModelCondition) -> ModelCondition {
    ModelCondition(left.expression || right.expression)
  }

  /// Returns the condition that the other one does not hold.
  public static prefix func ! (condition: ModelCondition) -> ModelCondition { ModelCondition(!condition.expression) }

  /// The query for the condition as text, without sensitive values.
  public var description: String { ModelQuery(matching: self).description }
}
