/// A builder of a ``JSONValue`` from the output of a scanner, without recursion.
///
/// Finished values are kept on one stack until their array or object ends, which is then created in its final size.
/// Objects with the same keys in the same order are common. The second of them is kept as a template; the following
/// ones are copies of it with other values, for which no key is hashed.
struct JSONTreeBuilder: ~Copyable {
  private struct Frame {
    let isObject: Bool
    let firstValue: Int
    let firstKey: Int
  }

  /// The objects with one list of keys.
  private struct Shape {
    var identities: [UInt32] = []
    var template: [String: JSONValue] = [:]
    var places: [Dictionary<String, JSONValue>.Index] = []
    /// The hash of the last list of keys in this slot; the template is created when it occurs again.
    var candidate: UInt64 = 0
  }

  private var values = JSONValueStack()
  private var keys: [JSONKeyCache.Key] = []
  private var frames: [Frame] = []
  private var cache = JSONKeyCache()
  private var shapes: [Shape] = []

  private static let shapeCount = 64
  private static let longestShape = 64

  /// Reads one value.
  mutating func read(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> JSONValue {
    defer {
      // Values are left only after an error.
      values.removeAll()
      keys.removeAll(keepingCapacity: true)
      frames.removeAll(keepingCapacity: true)
    }
    value: while true {
      var value: JSONValue
      switch try scanner.peek() {
      case .string: value = .string(try scanner.readString())
      case .number: value = try scanner.readNumber()
      case .bool: value = .bool(try scanner.readBool())
      case .null:
        try scanner.readNull()
        value = .null
      case .array:
        try scanner.beginArray()
        if try scanner.nextElement() {
          frames.append(Frame(isObject: false, firstValue: values.count, firstKey: keys.count))
          continue value
        }
        value = .array([])
      case .object:
        try scanner.beginObject()
        if let key = try scanner.nextKey() {
          frames.append(Frame(isObject: true, firstValue: values.count, firstKey: keys.count))
          keys.append(cache.key(for: key))
          continue value
        }
        value = .object([:])
      }
      while let frame = frames.last {
        values.append(value)
        if frame.isObject {
          if let key = try scanner.nextKey() {
            keys.append(cache.key(for: key))
            continue value
          }
          value = .object(makeObject(frame))
        } else {
          if try scanner.nextElement() { continue value }
          value = .array(values.removeArray(from: frame.firstValue))
        }
        frames.removeLast()
      }
      return value
    }
  }

  private mutating func makeObject(_ frame: Frame) -> [String: JSONValue] {
    let first = frame.firstKey
    let count = keys.count - first
    defer { keys.removeLast(count) }
    guard count <= Self.longestShape, let hash = hashOfIdentities(from: first) else {
      return makeDictionary(frame)
    }
    if shapes.isEmpty { shapes = Array(repeating: Shape(), count: Self.shapeCount) }
    let slot = Int(truncatingIfNeeded: hash &>> 58)
    if isShape(slot, from: first) {
      var object = shapes[slot].template
      let places = shapes[slot].places
      values.removeLast(from: frame.firstValue) { index, value in object.values[places[index]] = value }
      return object
    }
    let object = makeDictionary(frame)
    if shapes[slot].candidate != hash {
      shapes[slot].candidate = hash
    } else if object.count == count {
      var places: [Dictionary<String, JSONValue>.Index] = []
      for key in keys[first...] {
        guard let place = object.index(forKey: key.string) else { return object }
        places.append(place)
      }
      var template = object
      for place in places { template.values[place] = .null }
      shapes[slot] = Shape(
        identities: keys[first...].map(\.identity), template: template, places: places, candidate: hash)
    }
    return object
  }

  private mutating func makeDictionary(_ frame: Frame) -> [String: JSONValue] {
    let first = frame.firstKey
    var object = [String: JSONValue](minimumCapacity: keys.count - first)
    values.removeLast(from: frame.firstValue) { index, value in object[keys[first + index].string] = value }
    return object
  }

  /// Returns a hash of the list of keys, or nil if one of them is not cached.
  private func hashOfIdentities(from first: Int) -> UInt64? {
    var hash: UInt64 = 0
    for index in first..<keys.count {
      let identity = keys[index].identity
      if identity == 0 { return nil }
      hash = (hash ^ UInt64(identity)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash &>> 29
    }
    return hash &* 0x9E37_79B9_7F4A_7C15
  }

  private func isShape(_ slot: Int, from first: Int) -> Bool {
    let count = keys.count - first
    guard shapes[slot].identities.count == count else { return false }
    for index in 0..<count where shapes[slot].identities[index] != keys[first + index].identity { return false }
    return true
  }
}
