@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@testable @_spi(ModelKitInternals) import ModelCore

/// Stored properties of many sizes between the fields, and computed properties.
private class Ledger: Model {
  let isOpen = true
  let id = Field<Int>()
  var byte: UInt8 = 1
  private let hidden = Field<String>(key: "ledgerHidden")
  var pair: (UInt8, Double) = (1, 2)
  let amount = Field<Double>()
  var opened = Date(timeIntervalSince1970: 0)
  var address: URL?
  var onChange: (() -> Void)?
  let tags = Field<String>()*
  var text = "text"
  var anything: Any = 1
  var title: Field<String> { fallback }
  private lazy var fallback = Field<String>()
  override var identifierField: AnyField? { id }
}

private class Journal<Entry, Kind: Hashable>: Ledger {
  var kinds: [Kind: Entry] = [:]
  let entry = Field<Entry>()
  var last: Entry?
  private let hidden = Field<Int>(key: "journalHidden")
  let isChecked: Field<Bool>?
  var note: Field<String>?
  let related = ModelField<Journal<Entry, Kind>>()

  required init() {
    isChecked = nil
    super.init()
  }

  init(isChecked: Field<Bool>) {
    self.isChecked = isChecked
    super.init()
  }
}

private final class Diary: Journal<[String: Int], UInt8> {
  var flag = false
  let mood = Field<String>()
  weak var reader: Ledger?
}

private func localModels() -> [ModelObject] {
  final class Local<Content>: Model {
    let small: UInt8 = 1
    let content = Field<Content>()
    var stored: Content?
    let list = Field<Content>()*
  }
  return [Local<Int>(), Local<String>(), Local<(UInt8, Double)>()]
}

private func nestedModel() -> ModelObject {
  class Outer: Model {
    let first = Field<Int>()
    final class Inner: Outer {
      let flag: Bool = true
      let second = Field<Int>()
    }
  }
  return Outer.Inner()
}

@Suite struct `A proven layout` {
  /// Returns the fields that the runtime finds in an instance, superclasses first, without fields of other models.
  private func mirrored(_ model: ModelObject) -> [AnyField] {
    var levels: [[AnyField]] = []
    var level: AnyClass? = type(of: model)
    while let modelClass = level {
      levels.append(StoredProperty.values(in: model, declaredBy: modelClass).compactMap { $0.value as? AnyField })
      level = modelClass == ModelObject.self ? nil : _getSuperclass(modelClass)
    }
    return levels.reversed().flatMap { $0 }
  }

  private func agrees(_ model: ModelObject) -> Bool {
    model.layout.isProven == LayoutCache.isOn
      && model.layout.fields(of: model).map(ObjectIdentifier.init) == mirrored(model).map(ObjectIdentifier.init)
      && model.layout.fields(of: model).allSatisfy { $0.owner === model }
  }

  @Test func `A proven layout finds the same fields as the runtime, on the first instance and the next`() {
    for _ in 0..<2 {
      #expect(agrees(Ledger()))
      #expect(agrees(Journal<Int, String>()))
      #expect(agrees(Journal<String, Int>()))
      #expect(agrees(Journal<[Date?], UInt8>()))
      #expect(agrees(Diary()))
      for model in localModels() { #expect(agrees(model)) }
      #expect(agrees(nestedModel()))
    }
  }

  @Test func `A proven layout finds fields of optional, variable and lazy properties, whenever they are set`() {
    let journal = Journal<Int, Int>()
    #expect(agrees(journal))
    let checked = Journal<Int, Int>(isChecked: Field<Bool>())
    #expect(agrees(checked))
    #expect(checked.isChecked?.key == "isChecked")
    journal.note = Field<String>()
    #expect(agrees(journal))
    journal.note = Field<String>("again")
    journal.title.value = "lazy"
    #expect(agrees(journal))
    #expect(journal.dictionaryValue == ["note": "again", "fallback": "lazy"])
    journal.note = nil
    #expect(agrees(journal))
  }

  @Test func `A proven layout excludes properties that are not fields of the model`() {
    let diary = Diary()
    let reader = Ledger()
    diary.reader = reader
    #expect(
      diary.fieldKeysInOrder == ["id", "ledgerHidden", "amount", "tags", "entry", "journalHidden", "related", "mood"])
  }

  @Test func `A proven layout is not used if the diagnosis switch is off`() {
    let isOff = ProcessInfo.processInfo.environment["MODELKIT_LAYOUT_CACHE"] == "off"
    #expect(LayoutCache.isOn == !isOff)
    #expect(Diary().details?.mirroredFields == nil || isOff)
  }
}

extension ModelObject {
  fileprivate var fieldKeysInOrder: [String] { layout.fields(of: self).compactMap(\.key) }
}
