/// A collection whose order differs from one instance to an equal one. Its list in JSON is sorted, so that equal values
/// have one document.
protocol UnorderedValues: SendableMetatype {
  /// The number of values in the list that are one element.
  static var elementLength: Int { get }
}

extension Set: UnorderedValues {
  static var elementLength: Int { 1 }
}

/// A dictionary whose keys are neither texts nor integers is a list in which each key precedes its value.
extension Dictionary: UnorderedValues {
  static var elementLength: Int { 2 }
}

extension JSONValue {
  /// Returns a list with its groups of values sorted by the first of each: numbers by value, all others by their JSON.
  /// Values other than lists are returned unchanged.
  func sorted(inGroupsOf length: Int) -> JSONValue {
    guard case .array(let values) = self else { return self }
    let groups = stride(from: 0, to: values.count, by: length).map { start in
      let first = values[start]
      return (number: first.doubleValue, json: first.description.utf8, values: values[start...].prefix(length))
    }
    return .array(
      groups.sorted { one, other in
        if let number = one.number, let next = other.number, number != next { return number < next }
        return one.json.lexicographicallyPrecedes(other.json)
      }.flatMap(\.values))
  }
}
