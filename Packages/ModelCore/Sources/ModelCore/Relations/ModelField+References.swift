@_spi(ModelKitInternals) import FieldKit

extension ModelField {
  var isToMany: Bool { false }

  func refer(to models: [ModelObject]) { storedValue = models.first as? Related }
}

extension ModelArrayField {
  var isToMany: Bool { true }

  func refer(to models: [ModelObject]) { storedValue = models.compactMap { $0 as? Related } }
}
