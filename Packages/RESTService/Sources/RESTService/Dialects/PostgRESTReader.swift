import RESTStore
import StoreProtocol

/// A reader of the filters of PostgREST, which returns conditions as queries write them.
///
/// SQL does not decide a comparison with null, so a negated comparison does not find records without the value.
struct PostgRESTReader {
  private let form: RESTServedForm
  // A quote and a mark beside it can be one `Character`.
  private var rest: Substring.UnicodeScalarView

  private init(_ text: String, _ form: RESTServedForm) { (rest, self.form) = (text[...].unicodeScalars, form) }

  /// Returns the condition of a parameter, such as `age=gt.30` or `or=(age.gt.30,name.like."A*")`.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` for one that can't be read.
  static func condition(_ item: RESTQueryItem, _ form: RESTServedForm) throws -> JSONValue {
    let names = item.name.split(separator: ".", omittingEmptySubsequences: false)
    if let last = names.last, ["and", "or"].contains(last) {
      var reader = PostgRESTReader(item.name + item.value, form)
      return try reader.whole { try $0.element() }
    }
    var reader = PostgRESTReader(item.value, form)
    return try reader.whole { try $0.comparison(item.name, isInList: false) }
  }

  /// Returns the orders of the parameter `order`, such as `age.desc.nullslast,name`.
  static func orders(_ text: String, _ form: RESTServedForm) throws -> JSONValue {
    .array(
      try text.split(separator: ",").map { order in
        let parts = order.split(separator: ".").map(String.init)
        let isDescending = parts.contains("desc")
        guard let field = form.fields[parts.first ?? ""],
          parts.dropFirst().allSatisfy({ ["asc", "desc", "nullsfirst", "nullslast"].contains($0) })
        else { throw unreadable(String(order)) }
        // PostgreSQL orders null after all values.
        let isFirst = parts.contains("nullsfirst") || isDescending && !parts.contains("nullslast")
        return [
          "field": .string(field.name), "descending": .bool(isDescending), "nils": isFirst ? "first" : "last",
        ]
      })
  }

  private static func unreadable(_ text: String) -> ModelStoreError {
    ModelStoreError(.unsupported, "The filter or order \"\(text.prefix(80))\" can't be read.")
  }

  private mutating func whole(_ read: (inout PostgRESTReader) throws -> JSONValue) throws -> JSONValue {
    let text = String(rest)
    let condition = try read(&self)
    guard rest.isEmpty else { throw Self.unreadable(text) }
    return condition
  }

  private mutating func take(_ prefix: String) -> Bool {
    guard rest.starts(with: prefix.unicodeScalars) else { return false }
    rest = rest.dropFirst(prefix.unicodeScalars.count)
    return true
  }

  // MARK: Conditions

  private mutating func element(depth: Int = 0) throws -> JSONValue {
    guard depth < 64 else { throw Self.unreadable(String(rest)) }
    for (prefix, name, isNegated) in [
      ("and(", "and", false), ("or(", "or", false), ("not.and(", "and", true), ("not.or(", "or", true),
    ] where take(prefix) {
      var terms: [JSONValue] = []
      repeat { terms.append(try element(depth: depth + 1)) } while take(",")
      guard take(")") else { throw Self.unreadable(String(rest)) }
      return isNegated ? ["not": [name: .array(terms)]] : [name: .array(terms)]
    }
    let key = String(rest.prefix { $0 != "." })
    guard take(key + ".") else { throw Self.unreadable(String(rest)) }
    return try comparison(key, isInList: true)
  }

  private mutating func comparison(_ key: String, isInList: Bool) throws -> JSONValue {
    guard let field = form.fields[key] else { throw Self.unreadable(key) }
    let isNegated = take("not.")
    let name = String(rest.prefix { $0 != "." })
    guard take(name + ".") else { throw Self.unreadable("\(key).\(String(rest))") }
    let condition: JSONValue
    switch name {
    case "is":
      guard take("null") else { throw Self.unreadable("\(key).is.\(String(rest))") }
      return Self.comparison(field, isNegated ? "!=" : "==", .null)
    case "in":
      guard take("(") else { throw Self.unreadable("\(key).in.\(String(rest))") }
      var values: [JSONValue] = []
      repeat { values.append(field.value(try text(isInList: true))) } while take(",")
      guard take(")") else { throw Self.unreadable(key) }
      condition = Self.comparison(field, "in", .array(values))
    case "eq", "neq", "lt", "lte", "gt", "gte":
      let signs = ["eq": "==", "neq": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="]
      condition = Self.comparison(field, signs[name] ?? "", field.value(try text(isInList: isInList)))
    case "like", "ilike":
      condition = try Self.pattern(field, try text(isInList: isInList), ignoresCase: name == "ilike")
    case "match", "imatch":
      var match = Self.comparison(field, "containsMatch", .string(try text(isInList: isInList))).objectValue ?? [:]
      if name == "imatch" { match["form"] = "ignoringCase" }
      condition = .object(match)
    default: throw Self.unreadable(key + "." + name)
    }
    if !isNegated, name != "neq" { return condition }
    return ["and": [isNegated ? ["not": condition] : condition, Self.comparison(field, "!=", .null)]]
  }

  private static func comparison(_ field: RESTServedForm.Field, _ sign: String, _ value: JSONValue) -> JSONValue {
    ["field": .string(field.name), "is": .string(sign), "value": value]
  }

  /// Returns the condition of a pattern with stars or percent signs at its ends.
  private static func pattern(
    _ field: RESTServedForm.Field, _ pattern: String, ignoresCase: Bool
  ) throws -> JSONValue {
    var (literal, isEscaped) = (String.UnicodeScalarView(), false)
    var (startsAnywhere, endsAnywhere) = (false, false)
    for character in pattern.unicodeScalars {
      if endsAnywhere { throw unreadable(pattern) }
      if isEscaped {
        literal.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "*" || character == "%" {
        if literal.isEmpty, !startsAnywhere { startsAnywhere = true } else { endsAnywhere = true }
      } else if character == "_" {
        throw unreadable(pattern)
      } else {
        literal.append(character)
      }
    }
    let sign =
      switch (startsAnywhere, endsAnywhere) {
      case (true, true): "contains"
      case (true, false): "hasSuffix"
      case (false, true): "hasPrefix"
      case (false, false): "=="
      }
    var condition = comparison(field, sign, .string(String(literal))).objectValue ?? [:]
    if ignoresCase { condition["form"] = "ignoringCase" }
    return .object(condition)
  }

  /// Reads a value: in quotes, or up to a comma or a parenthesis. Outside of lists it is the rest.
  private mutating func text(isInList: Bool) throws -> String {
    if !isInList {
      defer { rest.removeAll() }
      return String(rest)
    }
    guard take("\"") else {
      let text = rest.prefix { $0 != "," && $0 != ")" }
      rest = rest.dropFirst(text.count)
      return String(text)
    }
    var text = String.UnicodeScalarView()
    while let character = rest.popFirst() {
      if character == "\"" { return String(text) }
      if character != "\\" {
        text.append(character)
      } else if let escaped = rest.popFirst() {
        text.append(escaped)
      }
    }
    throw Self.unreadable(String(text))
  }
}
