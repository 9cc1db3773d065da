@_spi(ModelKitInternals) import FieldKit

/// An error for a model that can't be deleted while other models reference it. The store and all models are unchanged.
///
/// ```swift
/// // Firm "7" was not deleted: "debts" still refers to 2 models (Debt "1", Debt
/// // "2"), and its delete rule is deny.
/// // Remove or delete them first.
/// ```
public struct DeletionDeniedError: Error, CustomStringConvertible {
  /// The type name of the model that can't be deleted. The model may be one that a cascade would delete.
  public let typeName: String
  /// The identifier of that model, if it has one.
  public let identifier: String?
  /// The key of the relation whose rule denies the deletion.
  public let relation: String
  /// The related models that prevent the deletion, each with its type and identifier, such as `Debt "1"`.
  public let members: [String]

  /// The number of related models that prevent the deletion.
  public var count: Int { members.count }

  init(model: ModelObject, relation: any Relation, members: [ModelObject]) {
    typeName = model.layout.typeName
    identifier = model.modelIdentifier
    self.relation = relation.key ?? relation.name ?? "?"
    self.members = members.map { Self.name($0.layout.typeName, $0.modelIdentifier) }
  }

  private static func name(_ typeName: String, _ identifier: String?) -> String {
    identifier.map { "\(typeName) \($0.quotedForMessage)" } ?? "\(typeName) without identifier"
  }

  /// A message with the failure, its reason, three members at most, and the remedy.
  public var description: String {
    let subject = identifier.map { "\(typeName) \($0.quotedForMessage)" } ?? "This \(typeName)"
    let models = count == 1 ? "1 model" : "\(count) models"
    let names = (members.prefix(3) + (count > 3 ? ["…"] : [])).joined(separator: ", ")
    return """
      \(subject) was not deleted: \(relation.quotedForMessage) still refers to \(models) (\(names)), and its delete \
      rule is deny. Remove or delete them first.
      """
  }
}
