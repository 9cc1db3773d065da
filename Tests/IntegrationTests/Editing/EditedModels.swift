import ModelKit

/// A model with every kind of relation.
final class Gallery: Model {
  @Field var id: Int?
  @Required var number = 0
  @Required(.range(0...)) var size = 0
  @ModelField var sign: Plaque?
  @ModelArrayField var plaques: [Plaque]?
  @ModelField(foreignKey: true, inverse: \.$children) var parent: Gallery?
  @ModelArrayField var children: [Gallery]?
  @ModelArrayField(foreignKey: true, inverse: \.galleries) var subjects: [Subject]?
  @ModelArrayField(deleteRule: .cascade) var pictures: [Picture]?
  @ModelArrayField(deleteRule: .deny) var permits: [Permit]?
  override var identifierField: AnyField? { $id }
}

/// An embedded model, which embeds others.
final class Plaque: Model {
  @Required var text = 0
  @ModelArrayField var marks: [Mark]?

  convenience init(_ value: PlaqueValue) {
    self.init()
    text = value.text
    if !value.marks.isEmpty { marks = value.marks.map { Mark($0) } }
  }

  var value: PlaqueValue { PlaqueValue(text: text, marks: (marks ?? []).map(\.text)) }
}

final class Mark: Model {
  @Required var text = 0

  convenience init(_ text: Int) {
    self.init()
    self.text = text
  }
}

final class Picture: Model {
  @Field var id: Int?
  @Required var number = 0
  @Required(.range(0...)) var size = 0
  @ModelField(foreignKey: true, inverse: \.$pictures) var gallery: Gallery?
  /// A link without an inverse.
  @ModelField(foreignKey: true) var next: Picture?
  override var identifierField: AnyField? { $id }
}

final class Permit: Model {
  @Field var id: Int?
  @Required var number = 0
  @Required(.range(0...)) var size = 0
  @ModelField(foreignKey: true, inverse: \.$permits) var gallery: Gallery?
  override var identifierField: AnyField? { $id }
}

/// A model declared with constants.
final class Subject: Model {
  let id = Field<Int>()
  let number = Field<Int>(0)
  let size = Field<Int>(0)
  let galleries = ModelField<Gallery>()*
  override var identifierField: AnyField? { id }
}
