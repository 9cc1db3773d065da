/// A field with a list of values. It starts as an empty list, not as nil, and counts as unset until it is set.
///
/// `Field<String>()*` and `*Field<String>()` are short for `ArrayField(Field<String>())`. The inner field describes one
/// element: its rules are checked for every element, its transformer reads and writes every element.
///
/// ```swift
/// let tags = ArrayField(Field<String>().require(.notBlank), name: "Tags", allowsDuplicates: false)
/// tags.append("new")
/// ```
public final class ArrayField<Element>: Field<[Element]> {
  private let elementMetadata: FieldMetadata<Element>?
  private let elementsAreEqual: ((Element, Element) -> Bool)?
  private let allowsDuplicates: Bool

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - element: describes one element. Name, key and priority are taken from it unless they are given.
  ///   - name: what people call the list.
  ///   - key: the key in dictionaries and JSON.
  ///   - priority: the place in a form.
  ///   - allowsDuplicates: if `false`, an element that is already there is not added again, and setting the whole list
  ///     keeps the first of equal elements. Elements that can't be compared are never duplicates.
  public init(
    _ element: Field<Element>, name: String? = nil, key: String? = nil, priority: Int? = nil,
    allowsDuplicates: Bool = true
  ) {
    elementMetadata = element.metadata
    elementsAreEqual = element.areEqual
    self.allowsDuplicates = allowsDuplicates
    let name = name ?? element.metadata?.name
    let key = key ?? element.metadata?.key
    let priority = priority ?? element.metadata?.priority
    let metadata: FieldMetadata<[Element]>? =
      name != nil || key != nil || priority != nil ? .declaring(name: name, key: key, priority: priority) : nil
    let areEqual = element.areEqual.map { areEqual in
      { (left: [Element], right: [Element]) in left.elementsEqual(right, by: areEqual) }
    }
    super.init(unset: [], metadata: metadata, areEqual: areEqual, flags: allowsDuplicates ? [] : .hooksSet)
    if let initial = element.storage {
      storage = [initial]
      setInitialState()
    }
  }

  /// Adds an element at the end.
  ///
  /// - Returns: `false` if the list has it already and allows no duplicates.
  /// - Complexity: O(1) on average without observers; O(*n*) where duplicates are looked for or observers get the old list.
  @discardableResult
  public func append(_ element: Element) -> Bool {
    if !allowsDuplicates, contains(where: element) { return false }
    guard registry != nil else {
      // Nobody needs the old list: let it grow in place.
      if storage == nil { storage = [] }
      storage?.append(element)
      let stamp = ChangeStamp.next()
      updatedStamp = stamp
      changedStamp = stamp
      flags.subtract(.stale)
      flags.formUnion([.loaded, .dirty])
      return true
    }
    store((storage ?? []) + [element], stamp: .next())
    return true
  }

  /// Removes the element at an index.
  ///
  /// - Precondition: `index` is a valid index of the list.
  @discardableResult
  public func remove(at index: Int) -> Element {
    var elements = storage ?? []
    precondition(
      elements.indices.contains(index), "There is no element \(index) to remove: the list has \(elements.count).")
    let removed = elements.remove(at: index)
    store(elements, stamp: .next())
    return removed
  }

  private func contains(where element: Element) -> Bool {
    guard let storage, let elementsAreEqual else { return false }
    return storage.contains { elementsAreEqual($0, element) }
  }

  @_spi(ModelKitInternals)
  public override func setHooked(_ newValue: [Element]?, stamp: ChangeStamp) {
    guard let newValue, let elementsAreEqual else { return store(newValue, stamp: stamp) }
    var unique: [Element] = []
    for element in newValue where !unique.contains(where: { elementsAreEqual($0, element) }) {
      unique.append(element)
    }
    store(unique, stamp: stamp)
  }

  override func ruleViolations() -> [RuleViolation] {
    var violations = super.ruleViolations()
    if let rules = elementMetadata?.rules, !rules.isEmpty {
      for (index, element) in (storage ?? []).enumerated() {
        for rule in rules {
          if let violation = rule.violation(of: element) { violations.append(violation.inElement(index)) }
        }
      }
    }
    return violations
  }

  override func importedValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> [Element]? {
    if json.isNull { return nil }
    if metadata?.transformer != nil { return try super.importedValue(json, in: context) }
    guard case .array(let elements) = json else {
      throw ValueTransformError(expected: "a list", found: json)
    }
    return try elements.enumerated().map { index, element in
      do {
        let value =
          if let transformer = elementMetadata?.transformer {
            element.isNull ? nil : try transformer.importValue(element, in: context)
          } else {
            try context.importValue(element, as: Element.self)
          }
        guard let value else { throw ValueTransformError(expected: "a value", found: element) }
        return value
      } catch let error as ValueTransformError {
        throw error.inElement(index)
      }
    }
  }

  override func exportedValue(_ value: [Element], in context: ValueTransformerContext) throws -> JSONValue {
    if metadata?.transformer != nil { return try super.exportedValue(value, in: context) }
    return .array(
      try value.map { element in
        if let transformer = elementMetadata?.transformer {
          try transformer.exportValue(element, in: context)
        } else {
          try context.exportValue(element)
        }
      })
  }
}

extension ArrayField where Element: Equatable {
  /// Whether an equal element is in the list.
  public func contains(_ element: Element) -> Bool { storage?.contains(element) ?? false }

  /// Removes the first equal element.
  ///
  /// - Returns: `false` if there is none.
  @discardableResult
  public func removeFirst(_ element: Element) -> Bool {
    guard let index = storage?.firstIndex(of: element) else { return false }
    remove(at: index)
    return true
  }
}
