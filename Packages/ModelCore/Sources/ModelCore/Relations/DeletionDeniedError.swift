@_spi(ModelKitInternals) import FieldKit

/// A model can't be deleted as long as others are related to it. Nothing was changed.
///
/// ```swift
/// // Firm "7" was not deleted: "debts" still leads to 2 models (Debt "1", Debt "2"), and its rule is to deny. Remove or
/// // delete them first.
/// ```
public struct DeletionDeniedError: Error, CustomStringConvertible {
  /// What stores call the type of the model that can't be deleted. It may be one that would go with the one that was
  /// asked for.
  public let typeName: String
  /// The identifier of that model, if it has one.
  public let identifier: String?
  /// The key of the relation that denies.
  public let relation: String
  /// The models that hold it back, each with its type and its identifier, such as `Debt "1"`.
  public let members: [String]

  /// How many models hold it back.
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

  /// What was wrong, what was kept, and what to do. Names no more than three of the members.
  public var description: String {
    let subject = identifier.map { "\(typeName) \($0.quotedForMessage)" } ?? "This \(typeName)"
    let models = count == 1 ? "1 model" : "\(count) models"
    let names = (members.prefix(3) + (count > 3 ? ["…"] : [])).joined(separator: ", ")
    return """
      \(subject) was not deleted: \(relation.quotedForMessage) still leads to \(models) (\(names)), and its rule is to deny. Remove or \
      delete them first.
      """
  }
}
