/// The type that a model file names for an attribute.
enum ShopColor: Int, CaseIterable, Sendable {
  case red, green
}
