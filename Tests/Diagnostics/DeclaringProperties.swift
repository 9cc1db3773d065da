import ModelKit

struct Note: Model {  // error: non-class type 'Note' cannot conform to class protocol
}

final class Book: Model {
  @Field let id: Int?  // error: property wrapper can only be applied to a 'var'
  @Field(.notBlank) var pages: Int?  // error: type 'Int' does not conform to protocol 'Blankable'
  @Required(.range(1...5)) var title = "Untitled"  // error: cannot convert
  @Required var rating: Int? = 3  // error: A property that may be nil is declared with @Field
  @ModelField var author: String?  // error: requires that 'String'
  override var identifierfield: AnyField? { nil }  // error: property does not override any property from its superclass
}
