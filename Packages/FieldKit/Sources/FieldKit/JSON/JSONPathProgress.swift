/// The progress along the path to an array, while a document is read from its start to its end.
struct JSONPathProgress {
  private let path: String
  private let components: [JSONPath.Component]
  /// The number of open containers on the path; they are the outer ones.
  private var openOnPath = 0
  /// For each of them, the index of the next element.
  private var indices: [Int]
  /// For each of them, whether the path matched inside.
  private var hasContinued: [Bool]
  /// Whether the next value lies on the path.
  private var isNextOnPath = true
  /// Whether the array was found.
  private(set) var isFound = false

  init(_ path: String) {
    self.path = path
    components = JSONPath(path).components
    indices = Array(repeating: 0, count: components.count)
    hasContinued = Array(repeating: false, count: components.count)
  }

  /// The number of containers that are open inside the array.
  var depthInArray: Int { components.count + 1 }

  /// The position of a value relative to the path.
  enum Meaning: Equatable {
    /// The array itself.
    case array
    /// A container on the path.
    case step
    case other
    /// The path does not continue here, for this reason.
    case miss(String)
  }

  /// Begins a value.
  ///
  /// - Parameter depth: the number of open containers.
  mutating func begin(_ kind: JSONValue.Kind, depth: Int) -> Meaning {
    guard depth == openOnPath, isNextOnPath else { return .other }
    isNextOnPath = false
    if depth == components.count {
      guard kind == .array else { return miss(kind) }
      isFound = true
      return .array
    }
    switch (components[depth], kind) {
    case (.key, .object), (.index, .array):
      indices[depth] = 0
      hasContinued[depth] = false
      openOnPath += 1
      return .step
    default: return miss(kind)
    }
  }

  private func miss(_ kind: JSONValue.Kind) -> Meaning {
    .miss("expected an array\(path.isEmpty ? "" : " at \"\(path)\""), found \(kind)")
  }

  /// Returns the key of the path in the innermost open container, if that lies on the path.
  func key(atDepth depth: Int) -> String? {
    guard depth == openOnPath, depth > 0, case .key(let key) = components[depth - 1] else { return nil }
    return key
  }

  /// Enters the member with the key of the path.
  mutating func enterMember(atDepth depth: Int) {
    isNextOnPath = true
    hasContinued[depth - 1] = true
  }

  /// Enters the next element of an array, and returns whether the path continues in it.
  mutating func enterElement(atDepth depth: Int) -> Bool {
    guard depth == openOnPath, depth > 0, case .index(let wanted) = components[depth - 1] else { return false }
    defer { indices[depth - 1] += 1 }
    guard indices[depth - 1] == wanted else { return false }
    enterMember(atDepth: depth)
    return true
  }

  /// Ends a container, and returns the reason if the path ends there.
  ///
  /// - Parameter depth: the number of containers that stay open.
  mutating func leave(toDepth depth: Int) -> String? {
    guard depth < openOnPath else { return nil }
    openOnPath = depth
    isNextOnPath = false
    return isFound || hasContinued[depth] ? nil : "expected an array at \"\(path)\", found nothing there"
  }
}
