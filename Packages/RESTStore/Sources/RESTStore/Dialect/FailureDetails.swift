import StoreProtocol

/// What the body of a failure says beyond its status.
struct FailureDetails {
  /// A sentence of the server.
  var message: String?
  /// Messages that belong to fields, by key path.
  var fields: [String: [String]] = [:]

  init(_ body: JSONValue?, status: Int) {
    guard case .object(let object)? = body else { return }
    message = ["message", "error", "detail", "title"].lazy.compactMap { Self.text(object[$0]) }.first
    switch object["errors"] {
    case .object(let errors)?: add(errors, below: "")
    case .array(let errors)?: add(errors)
    default:
      let allLists = object.values.allSatisfy { Self.texts($0) != nil && $0.arrayValue != nil }
      if status == 400 || status == 422, !object.isEmpty, allLists { add(object, below: "") }
    }
  }

  private mutating func add(_ errors: [String: JSONValue], below path: String) {
    for (key, value) in errors {
      if let texts = Self.texts(value) {
        fields[path + key, default: []] += texts
      } else if case .object(let inner) = value {
        add(inner, below: path + key + ".")
      }
    }
  }

  private mutating func add(_ errors: [JSONValue]) {
    var others: [String] = []
    for error in errors {
      guard let text = Self.text(error) ?? Self.text(error["message"]) ?? Self.text(error["detail"]) else { continue }
      if let field = Self.text(error["field"]) { fields[field, default: []].append(text) } else { others.append(text) }
    }
    if message == nil, !others.isEmpty { message = others.joined(separator: "; ") }
  }

  private static func text(_ value: JSONValue?) -> String? {
    guard case .string(let text)? = value, !text.isEmpty else { return nil }
    return text
  }

  private static func texts(_ value: JSONValue) -> [String]? {
    switch value {
    case .string(let text): return [text]
    case .array(let elements):
      let texts = elements.compactMap { text($0) }
      return texts.count == elements.count && !texts.isEmpty ? texts : nil
    default: return nil
    }
  }
}
