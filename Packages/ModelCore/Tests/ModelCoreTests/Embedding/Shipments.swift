import ModelCore

/// A model whose record contains an address, a list of lines, and what is inside them.
final class Shipment: Model {
  let id = Field<Int>()
  let note = Field<String>()
  let address = ModelField<Destination>()
  let lines = ModelField<Parcel>()*
  override var identifierField: AnyField? { id }
}

final class Destination: Model {
  let city = Field<String>()
  let country = ModelField<Region>()
}

final class Region: Model {
  let code = Field<String>()
}

final class Parcel: Model {
  let text = Field<String>()
  let count = Field<Int>()
  let order = ModelField<Shipment>(inverse: \.lines)
}

/// A model that embeds models of classes that need the tree path.
final class Depot: Model {
  let id = Field<Int>()
  let site = ModelField<Quay>()
  let crates = ModelField<Crate>()*
  override var identifierField: AnyField? { id }
}

final class Quay: Model, ReadingHook {
  let city = Field<String>()
  let latitude = Field<Double>(key: "geo.lat")
  var readCount = 0

  func afterRead() { readCount += 1 }
}

class Crate: Model {
  let text = Field<String>()

  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["liters"] == nil ? nil : Barrel.self
  }
}

final class Barrel: Crate {
  let liters = Field<Int>()
}
