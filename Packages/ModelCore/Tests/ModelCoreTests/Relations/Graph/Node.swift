import ModelCore

/// A model with relations of every kind to its own class.
final class Node: Model {
  let id = Field<Int>()
  let left = ModelField<Node>(foreignKey: true, inverse: \.right)
  let right = ModelField<Node>(foreignKey: true)
  let parent = ModelField<Node>(foreignKey: true, inverse: \.children)
  let children = ModelField<Node>(foreignKey: true)*
  let likes: ModelArrayField<Node> = ModelField(foreignKey: true, inverse: \.likedBy)*
  let likedBy = ModelField<Node>(foreignKey: true)*
  let friends: ModelArrayField<Node> = ModelField(foreignKey: true, inverse: \.friends)*
  let spouse: ModelField<Node> = ModelField(foreignKey: true, inverse: { $0.spouse })
  override var identifierField: AnyField? { id }
  /// The number of the node in the test.
  var number = -1

  func list(_ side: Side) -> [Node] {
    switch side {
    case .left: left.value.map { [$0] } ?? []
    case .right: right.value.map { [$0] } ?? []
    case .parent: parent.value.map { [$0] } ?? []
    case .children: children.value ?? []
    case .likes: likes.value ?? []
    case .likedBy: likedBy.value ?? []
    case .friends: friends.value ?? []
    case .spouse: spouse.value.map { [$0] } ?? []
    }
  }

  func toOne(_ side: Side) -> ModelField<Node>? {
    switch side {
    case .left: left
    case .right: right
    case .parent: parent
    case .spouse: spouse
    default: nil
    }
  }

  func toMany(_ side: Side) -> ModelArrayField<Node>? {
    switch side {
    case .children: children
    case .likes: likes
    case .likedBy: likedBy
    case .friends: friends
    default: nil
    }
  }

  func field(_ side: Side) -> AnyField? { toOne(side) ?? toMany(side) }

  func observe(_ report: @escaping (Side, [Node], [Node]) -> Void) {
    for side in Side.allCases {
      toOne(side)?.addObserver(updateImmediately: false) { report(side, $0.map { [$0] } ?? [], $1.map { [$0] } ?? []) }
      toMany(side)?.addObserver(updateImmediately: false) { report(side, $0 ?? [], $1 ?? []) }
    }
  }
}

/// The relations of a node, in the order in which they are declared.
enum Side: Int, CaseIterable {
  case left, right, parent, children, likes, likedBy, friends, spouse

  var key: String { String(describing: self) }

  var isMany: Bool {
    switch self {
    case .children, .likes, .likedBy, .friends: true
    default: false
    }
  }

  var inverse: Side {
    switch self {
    case .left: .right
    case .right: .left
    case .parent: .children
    case .children: .parent
    case .likes: .likedBy
    case .likedBy: .likes
    case .friends: .friends
    case .spouse: .spouse
    }
  }
}
