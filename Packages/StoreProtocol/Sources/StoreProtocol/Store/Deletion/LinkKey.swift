@_spi(ModelKitInternals) import ModelCore

/// The identifier in a foreign key, compared byte by byte: strings that are equal in Swift can be different
/// identifiers.
enum LinkKey: Hashable {
  case text(ExactText)
  case other(JSONValue)

  init(_ json: JSONValue) {
    if case .string(let text) = json { self = .text(ExactText(text)) } else { self = .other(json) }
  }
}
