@_spi(ModelKitInternals) import FieldKit

extension ModelField {
  func refer(to models: [ModelObject]) { storedValue = models.first as? Related }
}

extension ModelArrayField {
  func refer(to models: [ModelObject]) { storedValue = models.compactMap { $0 as? Related } }
}
