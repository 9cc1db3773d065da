import Foundation
import StoreProtocol

enum Grade: String, CaseIterable, Sendable { case poor, good, great }

/// A model of the simulation: its title never changes, and the server sets version, change time and deletion mark. Some
/// fields have initial values.
protocol SimulatedModel: Model {
  var title: Field<String> { get }
  var a: Field<Int> { get }
  var b: Field<Int> { get }
  var c: Field<Int> { get }
  var isMarked: Field<Bool> { get }
  var grade: Field<Grade> { get }
  var label: Field<String> { get }
  var note: Field<String> { get }
  var version: Field<Int> { get }
  var changed: Field<Date> { get }
  var removed: Field<Bool> { get }
}

final class Writer: Model, SimulatedModel {
  let id = Field<Int>()
  let title = Field<String>()
  let a = Field<Int>()
  let b = Field<Int>()
  let c = Field<Int>(0)
  let isMarked = Field<Bool>(false)
  let grade = Field<Grade>(.good)
  let label = Field<String>("new")
  let note = Field<String>()
  let version = Field<Int>()
  let changed = Field<Date>()
  let removed = Field<Bool>()
  let volumes = ModelField<Volume>(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] {
    [id, title, a, b, c, isMarked, grade, label, note, version, changed, removed]
  }
}

final class Volume: Model, SimulatedModel {
  let id = Field<Int>()
  let title = Field<String>()
  let a = Field<Int>()
  let b = Field<Int>()
  let c = Field<Int>(0)
  let isMarked = Field<Bool>(false)
  let grade = Field<Grade>(.good)
  let label = Field<String>("new")
  let note = Field<String>()
  let version = Field<Int>()
  let changed = Field<Date>()
  let removed = Field<Bool>()
  let writer = ModelField<Writer>(foreignKey: true, inverse: \.volumes)
  override var identifierField: AnyField? { id }
}

/// A model whose identifier the client makes.
final class Sticker: Model, SimulatedModel {
  let id = Field<String>()
  let title = Field<String>()
  let a = Field<Int>()
  let b = Field<Int>()
  let c = Field<Int>(0)
  let isMarked = Field<Bool>(false)
  let grade = Field<Grade>(.good)
  let label = Field<String>("new")
  let note = Field<String>()
  let version = Field<Int>()
  let changed = Field<Date>()
  let removed = Field<Bool>()
  override var identifierField: AnyField? { id }
}
