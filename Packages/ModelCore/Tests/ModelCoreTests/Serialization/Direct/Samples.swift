import Foundation
import ModelCore

enum Suit: String, CaseIterable {
  case hearts, spades
}

/// A model with a field of every kind that is converted directly between bytes and values.
final class Sampler: Model {
  let id = Field<Int>()
  let text = Field<String>()
  let firstName = Field<String>(key: "first_name")
  let count = Field<Int>(7)
  let ratio = Field<Double>()
  let isOn = Field<Bool>()
  let tags = Field<String>()*
  let numbers = Field<Int>()*
  let plainTags = Field<[String]>()
  let uniqueTags = ArrayField(Field<String>(), allowsDuplicates: false)
  let limited = Field<Int>().constrain(to: 0...10)
  let limitedTags = ArrayField(Field<Int>().constrain(to: 0...10))
  let small = Field<Int8>()
  let day = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  let moment = Field<Date>()
  let uuid = Field<UUID>()
  let suit = EnumField<Suit>()
  let negated = Field<Int>().transform(
    importValue: { $0.intValue.map { -$0 } }, exportValue: { .int(-$0) })
  let json = Field<JSONValue>()
  let map = Field<[String: Int]>()
  let ruled = Field<String>().require(.notBlank)
  let next = ModelField<Sampler>()
  let others = ModelField<Sampler>()*
  override var identifierField: AnyField? { id }
}

/// Two relations in the order of their keys and two in another order, and fields in another order.
final class Crossing: Model {
  let code = Field<String>()
  let zeta = ModelField<Author>()
  let alpha = ModelField<Author>()
  let note = Field<String>(priority: 1)
  let hidden = Field<String>()
  let books = ModelField<Book>(foreignKey: true)*
  override var identifierField: AnyField? { code }
  override func fieldsForDictionaryValue() -> [AnyField] { fields.filter { $0 !== hidden } }
}

/// A model that observes itself, so that reading it runs code of its own.
final class Watcher: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let log = Field<String>()
  override var identifierField: AnyField? { id }

  required init() {
    super.init()
    name.addObserver(updateImmediately: false) { [unowned self] old, new in
      log.value = (log.value ?? "") + "\(old ?? "nil")>\(new ?? "nil");"
    }
  }
}

/// Keys with dots.
final class Dotted: Model {
  let id = Field<Int>(key: "meta.id")
  let title = Field<String>(key: "titles.main")
  let writerName = Field<String>(key: "writer.name")
  let writer = ModelField<Author>()
  let inner = ModelField<Sampler>()
  override var identifierField: AnyField? { id }
}
