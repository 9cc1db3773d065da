@_spi(ModelKitInternals) import ModelCore

/// A test of the value of one field. A subclass has the type of the value.
class QueryTest {
  /// Returns whether the value of a record passes.
  ///
  /// - Throws: an error if it is not a value of the field.
  func matches(_ json: JSONValue) throws -> Bool { false }

  /// Returns whether the next value of a document passes.
  func matches(_ scanner: inout JSONScanner) throws -> Bool { try matches(scanner.readValue()) }

  /// Returns whether the value of a live field passes. The value is read as a store would have it after a save.
  func matches(_ field: AnyField, in context: ValueTransformerContext) throws -> Bool {
    try matches((try? field.exported(by: FieldWriter(context: context))) ?? .null)
  }
}

/// A test of a value of any type.
final class ValueTest<Value>: QueryTest {
  private let field: Field<Value>
  private let context: ValueTransformerContext
  private let isPlain: Bool
  private let predicate: (Value?) throws -> Bool

  init(_ field: Field<Value>, _ context: ValueTransformerContext, _ predicate: @escaping (Value?) throws -> Bool) {
    self.field = field
    self.context = context
    self.predicate = predicate
    isPlain = field.isPlain(in: context)
  }

  override func matches(_ json: JSONValue) throws -> Bool {
    try predicate(json.isNull ? nil : field.value(readFrom: json, in: context))
  }

  override func matches(_ field: AnyField, in context: ValueTransformerContext) throws -> Bool {
    // The fast path: a value that is its own JSON need not be written for the test.
    if isPlain, Value.self == Int.self || Value.self == String.self || Value.self == Bool.self,
      let field = field as? Field<Value>
    {
      return try predicate(field.value)
    }
    return try super.matches(field, in: context)
  }
}

/// A test of whether a field of any type is nil.
final class NilTest: QueryTest {
  private let expectsNil: Bool

  init(expectsNil: Bool) { self.expectsNil = expectsNil }

  override func matches(_ json: JSONValue) throws -> Bool { json.isNull == expectsNil }

  override func matches(_ scanner: inout JSONScanner) throws -> Bool { try (scanner.peek() == .null) == expectsNil }

  override func matches(_ field: AnyField, in context: ValueTransformerContext) throws -> Bool {
    if let relation = field as? any RelationField, !relation.isToMany {
      return relation.relatedModels.isEmpty == expectsNil
    }
    return try super.matches(field, in: context)
  }
}

// Inlined: only code that knows the type of the numbers is fast.
extension QueryComparison.Operator {
  @inline(__always)
  fileprivate func holds<Number: Comparable>(_ value: Number, _ operand: Number) -> Bool {
    switch self {
    case .equal: value == operand
    case .notEqual: value != operand
    case .less: value < operand
    case .lessOrEqual: value <= operand
    case .greater: value > operand
    default: value >= operand
    }
  }

  // One loop for each operator, which the compiler can vectorize.
  @inline(__always)
  fileprivate func mask<Number: Comparable>(of values: [Number], _ operand: Number) -> [UInt8] {
    switch self {
    case .equal: values.map { $0 == operand ? 1 : 0 }
    case .notEqual: values.map { $0 != operand ? 1 : 0 }
    case .less: values.map { $0 < operand ? 1 : 0 }
    case .lessOrEqual: values.map { $0 <= operand ? 1 : 0 }
    case .greater: values.map { $0 > operand ? 1 : 0 }
    default: values.map { $0 >= operand ? 1 : 0 }
    }
  }
}

/// A comparison of a field of integers with one integer. Plain integers of records take a fast path.
final class IntegerTest: QueryTest {
  private let operation: QueryComparison.Operator
  private let operand: Int
  private let general: ValueTest<Int>

  init(_ operation: QueryComparison.Operator, _ operand: Int, _ general: ValueTest<Int>) {
    self.operation = operation
    self.operand = operand
    self.general = general
  }

  /// Returns 1 for each value that passes.
  func mask(of values: [Int]) -> [UInt8] { operation.mask(of: values, operand) }

  override func matches(_ json: JSONValue) throws -> Bool {
    if case .int(let value) = json { return operation.holds(value, operand) }
    return try general.matches(json)
  }

  override func matches(_ scanner: inout JSONScanner) throws -> Bool {
    if try scanner.peek() == .number {
      let start = scanner
      if let value = try scanner.readInt() { return operation.holds(value, operand) }
      scanner = start
    }
    return try general.matches(scanner.readValue())
  }

  override func matches(_ field: AnyField, in context: ValueTransformerContext) throws -> Bool {
    try general.matches(field, in: context)
  }
}

/// A comparison of a field of doubles with one number. Plain numbers of records take a fast path.
final class DoubleTest: QueryTest {
  private let operation: QueryComparison.Operator
  private let operand: Double
  private let general: ValueTest<Double>

  init(_ operation: QueryComparison.Operator, _ operand: Double, _ general: ValueTest<Double>) {
    self.operation = operation
    self.operand = operand
    self.general = general
  }

  /// Returns 1 for each value that passes.
  func mask(of values: [Double]) -> [UInt8] { operation.mask(of: values, operand) }

  override func matches(_ json: JSONValue) throws -> Bool {
    if case .double(let value) = json { return operation.holds(value, operand) }
    return try general.matches(json)
  }

  override func matches(_ scanner: inout JSONScanner) throws -> Bool {
    if try scanner.peek() == .number {
      let start = scanner
      if let value = try scanner.readDouble() { return operation.holds(value, operand) }
      scanner = start
    }
    return try general.matches(scanner.readValue())
  }

  override func matches(_ field: AnyField, in context: ValueTransformerContext) throws -> Bool {
    try general.matches(field, in: context)
  }
}

/// A comparison of a field of text with one text by their bytes, without creating strings.
final class TextTest: QueryTest {
  private let operation: QueryComparison.Operator
  private let operand: [UInt8]
  private let general: ValueTest<String>

  init(_ operation: QueryComparison.Operator, _ operand: String, _ general: ValueTest<String>) {
    self.operation = operation
    self.operand = Array(operand.utf8)
    self.general = general
  }

  /// Returns whether the UTF-8 of a text passes.
  @inline(__always)
  func matches(utf8: UnsafeBufferPointer<UInt8>) -> Bool { ScalarOrder.compare(utf8, operation, operand) }

  override func matches(_ json: JSONValue) throws -> Bool {
    guard case .string(var text) = json else { return try general.matches(json) }
    return text.withUTF8 { utf8 in ScalarOrder.compare(utf8, operation, operand) }
  }

  override func matches(_ scanner: inout JSONScanner) throws -> Bool {
    if try scanner.peek() == .string {
      let raw = try scanner.readRawString()
      if !raw.hasEscapes { return ScalarOrder.compare(raw.bytes, operation, operand) }
      return try matches(.string(raw.string))
    }
    return try general.matches(scanner.readValue())
  }

  override func matches(_ field: AnyField, in context: ValueTransformerContext) throws -> Bool {
    try general.matches(field, in: context)
  }
}
