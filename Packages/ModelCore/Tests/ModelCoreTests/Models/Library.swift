import ModelCore

/// One author has many books; the book declares the inverse.
final class Author: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let books = ModelField<Book>()*
  override var identifierField: AnyField? { id }

  convenience init(id: Int? = nil, name: String) {
    self.init()
    if let id { self.id.value = id }
    self.name.value = name
  }
}

final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let year = Field<Int>()
  let author = ModelField<Author>(inverse: \.books)
  override var identifierField: AnyField? { id }

  convenience init(id: Int? = nil, title: String) {
    self.init()
    if let id { self.id.value = id }
    self.title.value = title
  }
}

/// Many to many, declared on one side with a closure.
final class Student: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let courses = ModelField<Course>(inverse: { $0.students })*
  override var identifierField: AnyField? { id }
}

final class Course: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let students = ModelField<Student>()*
  override var identifierField: AnyField? { id }
}

/// One to one.
final class Country: Model {
  let id = Field<String>()
  let capital = ModelField<City>(inverse: \.capitalOf)
  override var identifierField: AnyField? { id }
}

final class City: Model {
  let id = Field<String>()
  let capitalOf = ModelField<Country>()
  override var identifierField: AnyField? { id }
}

/// Relations of a class to itself: a tree, pairs, and a net. A field that is its own inverse needs an explicit type.
final class Person: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let parent = ModelField<Person>(inverse: \.children)
  let children = ModelField<Person>()*
  let spouse: ModelField<Person> = ModelField(inverse: { $0.spouse })
  let friends: ModelArrayField<Person> = ModelField(inverse: \.friends)*
  override var identifierField: AnyField? { id }
}

/// Relations without inverse.
final class Order: Model {
  let number = Field<Int>()
  let customer = ModelField<Author>()
  let items = ModelField<Book>()*
}

/// Relations that are written as identifiers; the inverse is declared on the side of the list.
final class Album: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let tracks = ModelField<Track>(foreignKey: true, inverse: \.album)*
  override var identifierField: AnyField? { id }
}

final class Track: Model {
  let id = Field<String>()
  let title = Field<String>()
  let album = ModelField<Album>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

/// A hierarchy whose classes are chosen by an attribute.
class Shape: Model {
  let id = Field<Int>()
  let kind = Field<String>()
  override var identifierField: AnyField? { id }

  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    switch dictionary["kind"] {
    case "circle": Circle.self
    case "square": Square.self
    case "author": Author.self
    default: nil
    }
  }
}

final class Circle: Shape {
  let radius = Field<Double>()
}

final class Square: Shape {
  let side = Field<Double>()
}

final class Drawing: Model {
  let title = Field<String>()
  let shapes = ModelField<Shape>()*
}
