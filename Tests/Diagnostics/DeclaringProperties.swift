import ModelKit

struct Note: Model {  // error: inheritance from class-constrained protocol composition type
}

final class Book: Model {
  @Field(.notBlank) var pages: Int?  // error: contextual member reference to static property 'notBlank'
  @Required(.range(1...5)) var title = "Untitled"  // error: cannot convert
  @ModelField var author: String?  // error: requires that 'String'
  override var identifierfield: AnyField? { nil }  // error: property does not override any property from its superclass
}
