@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import ModelCore

extension ModelQuery: JSONConvertible, Codable {
  /// The query as JSON:
  ///
  /// ```json
  /// {"type": "Person", "where": {"field": "age", "is": ">", "value": 30},
  ///  "sort": [{"field": "name"}], "limit": 20}
  /// ```
  public var json: JSONValue {
    get throws {
      var json: AttributeDictionary = ["type": .string(M.typeName)]
      if let filter { json["where"] = try filter.json }
      if !sort.isEmpty { json["sort"] = .array(sort.map(\.order.json)) }
      if let limit { json["limit"] = .int(limit) }
      if offset != 0 { json["offset"] = .int(offset) }
      if evaluation != .byStore { json["evaluation"] = .string(evaluation.rawValue) }
      return .object(json)
    }
  }

  /// Reads a query.
  ///
  /// - Throws: `ValueTransformError` if the JSON is not a query. ``ModelStoreError`` with the code `invalid` if the
  ///   query is for another type, or uses a field that the model lacks.
  public init(json: JSONValue) throws {
    guard case .object(let members) = json else { throw ValueTransformError(expected: "a query", found: json) }
    let names = [M.typeName, M.formerTypeName].compactMap { $0 }
    guard let type = members["type"]?.stringValue, names.contains(type) else {
      throw ModelStoreError(
        .invalid,
        "A query for \(M.typeName) was expected, not one for \((members["type"] ?? .null).description.shortenedForMessage(atMost: 80))."
      )
    }
    self.init(M.self)
    filter = try members["where"].map(QueryExpression.init(json:))
    sort = try [JSONValue](json: members["sort"] ?? []).map { ModelSort(try QueryOrder(json: $0)) }
    limit = try members["limit"].map(Int.init(json:))
    offset = try members["offset"].map(Int.init(json:)) ?? 0
    evaluation = try members["evaluation"].map { try .named($0, "an evaluation") } ?? .byStore
    try validate()
  }

  /// Encodes the query as its JSON.
  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

  /// Decodes a query from its JSON.
  public init(from decoder: any Decoder) throws { try self.init(json: JSONValue(from: decoder)) }
}

extension QueryExpression: JSONConvertible {
  /// The condition as JSON: `true`, `{"and": […]}`, `{"or": […]}`, `{"not": …}`, `{"any": …, "where": …}`, or a
  /// comparison such as `{"field": "age", "is": ">", "value": 30}`.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if the condition is too large, or compares with a value that
  ///   can't be written.
  public var json: JSONValue {
    get throws {
      if let excess {
        throw ModelStoreError(.invalid, "The condition can't be written: \(excess). Split it, or use isIn.")
      }
      return try writtenJSON()
    }
  }

  private func writtenJSON() throws -> JSONValue {
    switch self {
    case .constant(let value): .bool(value)
    case .and(let terms): ["and": .array(try terms.map { try $0.writtenJSON() })]
    case .or(let terms): ["or": .array(try terms.map { try $0.writtenJSON() })]
    case .not(let term): ["not": try term.writtenJSON()]
    case .any(let path, let condition): ["any": path.json, "where": try condition.writtenJSON()]
    case .comparison(let comparison): try comparison.json
    }
  }

  /// Reads a condition.
  ///
  /// - Throws: `ValueTransformError` if the JSON is not a condition.
  public init(json: JSONValue) throws {
    if case .bool(let value) = json {
      self = .constant(value)
    } else if let terms = json["and"] {
      self = .and(try [QueryExpression](json: terms))
    } else if let terms = json["or"] {
      self = .or(try [QueryExpression](json: terms))
    } else if let term = json["not"] {
      self = .not(try QueryExpression(json: term))
    } else if let path = json["any"] {
      self = .any(try QueryPath(json: path), try QueryExpression(json: json["where"] ?? .null))
    } else {
      self = .comparison(try QueryComparison(json: json))
    }
  }
}

extension QueryComparison: JSONConvertible {
  /// The comparison as JSON.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if it compares with a value that can't be written.
  public var json: JSONValue {
    get throws {
      var json = term.json
      json["is"] = .string(self.operator.rawValue)
      switch operand {
      case .value(let value):
        if let number = value.numberWithoutJSON {
          throw ModelStoreError(
            .invalid,
            """
            This query can't be written: JSON has no number for \(number), with which it compares \(term). Evaluate it in \
            this process with evaluation: .inMemory.
            """)
        }
        json["value"] = .some(value)
      case .term(let term): json["than"] = .object(term.json)
      case .unwritable(let reason): throw ModelStoreError(.invalid, "This query can't be written: \(reason).")
      }
      return .object(json)
    }
  }

  /// Reads a comparison.
  ///
  /// - Throws: `ValueTransformError` if the JSON is not a comparison.
  public init(json: JSONValue) throws {
    guard case .object(let members) = json, let name = members["is"] else {
      throw ValueTransformError(expected: "a condition", found: json)
    }
    let operand: Operand
    if let value = members["value"] {
      operand = .value(value)
    } else if let other = members["than"] {
      operand = .term(try QueryTerm(json: other))
    } else {
      throw ValueTransformError(expected: "a value to compare with", found: json)
    }
    self.init(try QueryTerm(json: json), try .named(name, "an operator"), operand)
  }
}

extension QueryTerm {
  fileprivate var json: AttributeDictionary {
    form == .value ? ["field": path.json] : ["field": path.json, "form": .string(form.rawValue)]
  }

  fileprivate init(json: JSONValue) throws {
    let form: Form = try json["form"].map { try .named($0, "a form") } ?? .value
    self.init(try QueryPath(json: json["field"] ?? .null), form: form)
  }
}

extension QueryPath {
  /// The keys as one text, separated by dots; a list of texts if a key itself is empty or contains a dot.
  fileprivate var json: JSONValue {
    if keys.isEmpty || keys.contains(where: { $0.contains(".") || $0.isEmpty }) {
      return .array(keys.map { .string($0) })
    }
    return .string(keys.joined(separator: "."))
  }

  fileprivate init(json: JSONValue) throws {
    if case .string(let text) = json {
      self.init(text.split(separator: ".").map(String.init))
    } else {
      self.init(try [String](json: json))
    }
  }
}

extension QueryOrder: JSONConvertible {
  /// The order as JSON, such as `{"field": "age", "descending": true}`.
  public var json: JSONValue {
    var json = term.json
    if isDescending { json["descending"] = true }
    if nils != (isDescending ? .last : .first) { json["nils"] = .string(nils.rawValue) }
    return .object(json)
  }

  /// Reads an order.
  ///
  /// - Throws: `ValueTransformError` if the JSON is not an order.
  public init(json: JSONValue) throws {
    let nils: Nils? = try json["nils"].map { try .named($0, "first or last") }
    self.init(
      try QueryTerm(json: json), isDescending: try json["descending"].map(Bool.init(json:)) ?? false, nils: nils)
  }
}

extension RawRepresentable where RawValue == String {
  fileprivate static func named(_ json: JSONValue, _ expected: String) throws -> Self {
    guard let value = json.stringValue.flatMap(Self.init(rawValue:)) else {
      throw ValueTransformError(expected: expected, found: json)
    }
    return value
  }
}

extension JSONValue {
  /// The first number in the value that is infinite or not a number.
  fileprivate var numberWithoutJSON: Double? {
    switch self {
    case .double(let value): value.isFinite ? nil : value
    case .array(let elements): elements.lazy.compactMap(\.numberWithoutJSON).first
    case .object(let members): members.values.lazy.compactMap(\.numberWithoutJSON).first
    case .null, .bool, .int, .number, .string: nil
    }
  }
}
