import StoreProtocol

/// What the body of a failure says beyond its status, whichever of the usual forms it has.
struct FailureDetails {
  /// A sentence of the server.
  var message: String?
  /// Messages that belong to fields, by key path.
  var fields: [String: [String]] = [:]

  /// Members of which each can hold the list of what is wrong.
  private static let lists = ["errors", "invalid-params", "invalidParams", "violations", "detail"]
  /// Where frameworks put what is about no field in particular.
  private static let general: Set<String> = ["non_field_errors", "__all__", "base", ""]

  /// How many messages of a field, and how many fields, are taken: more tell nobody anything, and cost time.
  private static let maximumMessages = 100
  private static let maximumFields = 1_000

  init(_ body: JSONValue?, status: Int) {
    read(body, status: status)
    if fields.count > Self.maximumFields {
      let kept = Set(fields.keys.sorted().prefix(Self.maximumFields))
      fields = fields.filter { kept.contains($0.key) }
    }
    for (key, messages) in fields {
      var taken = messages.prefix(Self.maximumMessages).map { $0.utf8.count > 1_000 ? $0.prefix(1_000) + "…" : $0 }
      if messages.count > taken.count { taken.append("and \(messages.count - taken.count) more") }
      fields[key] = taken
    }
  }

  private mutating func read(_ body: JSONValue?, status: Int) {
    guard case .object(let object)? = body else { return }
    message = ["message", "error", "detail", "title"].lazy.compactMap { Self.text(object[$0]) }.first
    var isListed = false
    for key in Self.lists {
      switch object[key] {
      case .object(let errors)?:
        add(errors, below: "")
        isListed = true
      case .array(let errors)?:
        add(errors)
        isListed = true
      default: break
      }
    }
    let allMessages = object.values.allSatisfy { Self.isMessages($0) }
    if !isListed, status == 400 || status == 422, !object.isEmpty, allMessages { add(object, below: "") }
  }

  /// Lists of texts, or objects that have nothing else.
  private static func isMessages(_ value: JSONValue) -> Bool {
    switch value {
    case .array(let elements):
      !elements.isEmpty && elements.allSatisfy { text($0) != nil || $0.objectValue.map(isMessages) == true }
    case .object(let members): isMessages(members)
    default: false
    }
  }

  private static func isMessages(_ members: [String: JSONValue]) -> Bool {
    members.values.allSatisfy { isMessages($0) }
  }

  private mutating func add(_ errors: [String: JSONValue], below path: String) {
    for (key, value) in errors.sorted(by: { $0.key < $1.key }) {
      if let texts = Self.texts(value) {
        add(texts, at: path + key)
      } else if case .object(let inner) = value {
        add(inner, below: path + key + ".")
      } else if case .array(let elements) = value {
        for (index, element) in elements.enumerated() {
          if case .object(let inner) = element { add(inner, below: "\(path)\(key)[\(index)].") }
        }
      }
    }
  }

  private mutating func add(_ texts: [String], at path: String) {
    let last = path.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    guard Self.general.contains(last) else {
      fields[path, default: []] += texts
      return
    }
    // No more than this is shown.
    guard (message?.utf8.count ?? 0) < 2_000 else { return }
    message = ([message].compactMap { $0 } + texts.prefix(Self.maximumMessages)).joined(separator: "; ")
  }

  private mutating func add(_ errors: [JSONValue]) {
    var others: [String] = []
    for error in errors {
      let texts = ["message", "detail", "reason", "msg", "defaultMessage", "title"]
      guard let text = Self.text(error) ?? texts.lazy.compactMap({ Self.text(error[$0]) }).first else { continue }
      if let field = Self.field(of: error) { fields[field, default: []].append(text) } else { others.append(text) }
    }
    if !others.isEmpty, message == nil || message == "Validation failed" { message = others.joined(separator: "; ") }
  }

  /// The field that an element of a list of errors is about.
  private static func field(of error: JSONValue) -> String? {
    if let pointer = text(error["source"]?["pointer"]) ?? text(error["pointer"]) { return path(ofPointer: pointer) }
    if case .array(let place)? = error["loc"] {
      let steps = place.map(ParameterEncoder.text)
      return path(of: steps.first == "body" ? Array(steps.dropFirst()) : steps)
    }
    return ["field", "name", "param", "property", "propertyPath", "path"].lazy.compactMap { text(error[$0]) }.first
  }

  /// A JSON pointer as a key path. Of JSON:API, what leads to an attribute is left out.
  private static func path(ofPointer pointer: String) -> String? {
    let text = pointer.hasPrefix("#") ? PathComponent.decoded(String(pointer.dropFirst())) : pointer
    var steps = text.split(separator: "/").map {
      $0.replacing("~1", with: "/").replacing("~0", with: "~")
    }
    if steps.first == "data" {
      steps.removeFirst()
      if steps.first == "attributes" || steps.first == "relationships" { steps.removeFirst() }
      if steps.last == "data" { steps.removeLast() }
    }
    return path(of: steps.map { String($0) })
  }

  private static func path(of steps: [String]) -> String? {
    var path = ""
    for step in steps {
      if !path.isEmpty, step.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), !step.isEmpty {
        path += "[\(step)]"
      } else {
        path += path.isEmpty ? step : ".\(step)"
      }
    }
    return path.isEmpty ? nil : path
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
