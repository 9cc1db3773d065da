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
