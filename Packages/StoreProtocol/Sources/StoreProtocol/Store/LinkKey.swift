@_spi(ModelKitInternals) import ModelCore

/// The identifier in a foreign key, as it is compared with others: text by its bytes, because what Swift calls equal can be
/// two identifiers.
enum LinkKey: Hashable {
  case text(ExactText)
  case other(JSONValue)

  init(_ json: JSONValue) {
    if case .string(let text) = json { self = .text(ExactText(text)) } else { self = .other(json) }
  }
}
