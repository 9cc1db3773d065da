/// A field with a list of values. It starts as an empty list, not as nil, and counts as unset until it is set.
///
/// `Field<String>()*` and `*Field<String>()` are short for `ArrayField(Field<String>())`. The inner field describes one
/// element: its rules, its allowed values and its transformer apply to every element.
///
/// ```swift
/// let tags = ArrayField(
///   Field<String>().require(.notBlank), name: "Tags", allowsDuplicates: false)
/// tags.append("new")
/// ```
///
/// Setting the whole list leaves out the elements that the domain rejects, in order, and then duplicates if the list
/// allows none.
@propertyWrapper
open class ArrayField<Element>: Field<[Element]> {
  @usableFromInline final let elementMetadata: FieldMetadata<Element>?
  /// Whether the list may hold an element more than once.
  public final var allowsDuplicates: Bool { !flags.contains(.unique) }

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - element: describes one element. The list takes its name, key and priority unless they are given.
  ///   - name: the name shown to users.
  ///   - key: the key in dictionaries and JSON.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the values are kept out of errors, messages and descriptions. A sensitive element makes the
  ///     list sensitive too.
  ///   - allowsDuplicates: if `false`, an element that the list contains is not added again, and setting the whole list
  ///     keeps the first of equal elements. Objects that can't be compared are duplicates if they are the same object;
  ///     other elements that can't be compared are never duplicates.
  ///   - configure: completes the declaration of a property with `@ArrayField`, such as with a rule.
  @inlinable
  public init(
    _ element: Field<Element>, name: String? = nil, key: String? = nil, priority: Int? = nil, sensitive: Bool = false,
    allowsDuplicates: Bool = true, configure: ((ArrayField) -> Void)? = nil
  ) {
    elementMetadata = element.metadata
    var flags: FieldFlags = allowsDuplicates ? [] : [.hooksSet, .unique]
    var metadata: FieldMetadata<[Element]>?
    // Most lists declare nothing: then the generic types need not be looked up.
    if elementMetadata != nil || name != nil || key != nil || priority != nil || sensitive {
      metadata = Self.metadata(
        element, name: name, key: key, priority: priority, isSensitive: sensitive)
      if Self.refusesElements(element) { flags.formUnion(.hooksSet) }
    }
    super.init(unset: [], metadata: metadata, equality: Self.equality(of: element.equality), flags: flags)
    if let initial = element.storage {
      storage = [initial]
      setInitialState()
    }
    configure?(self)
  }

  /// The list, as a property declared with `@ArrayField` has it:
  /// `@ArrayField(Field<String>().require(.notBlank)) var tags: [String]?`.
  @_nonoverride
  @inlinable
  public final var wrappedValue: [Element]? {
    get { value }
    set { value = newValue }
    _modify { yield &value }
  }

  /// The field of a property declared with `@ArrayField`.
  @_nonoverride
  @inlinable
  public final var projectedValue: ArrayField<Element> { self }

  /// Returns the comparison of lists. For common types it is known at compile time; a lookup of the generic type would
  /// cost more than the allocation of the list.
  @inlinable
  static func equality(of elements: ValueEquality<Element>.Type?) -> ValueEquality<[Element]>.Type? {
    guard let elements else { return nil }
    if Element.self == String.self, ObjectIdentifier(elements) == ObjectIdentifier(EquatableEquality<String>.self) {
      let lists: ValueEquality<[String]>.Type = EquatableEquality<[String]>.self
      return unsafeBitCast(lists, to: ValueEquality<[Element]>.Type.self)
    }
    if Element.self == Int.self, ObjectIdentifier(elements) == ObjectIdentifier(EquatableEquality<Int>.self) {
      let lists: ValueEquality<[Int]>.Type = EquatableEquality<[Int]>.self
      return unsafeBitCast(lists, to: ValueEquality<[Element]>.Type.self)
    }
    return elements.ofLists
  }

  @usableFromInline
  static func metadata(
    _ element: Field<Element>, name: String?, key: String?, priority: Int?, isSensitive: Bool
  ) -> FieldMetadata<[Element]>? {
    let declared = element.metadata
    let name = name ?? declared?.name
    let key = key ?? declared?.key
    let priority = priority ?? declared?.priority
    let isSensitive = isSensitive || declared?.isSensitive == true
    guard name != nil || key != nil || priority != nil || isSensitive else { return nil }
    return .declaring(name: name, key: key, priority: priority, isSensitive: isSensitive)
  }

  @usableFromInline
  static func refusesElements(_ element: Field<Element>) -> Bool { element.metadata?.coerce != nil }

  private init(copying original: ArrayField) {
    elementMetadata = original.elementMetadata
    let isPlain =
      original.allowsDuplicates && original.elementMetadata?.coerce == nil && original.metadata?.coerce == nil
    var flags: FieldFlags = isPlain ? [] : .hooksSet
    if !original.allowsDuplicates { flags.formUnion(.unique) }
    super.init(
      unset: original.storage, metadata: original.metadataForCopy, equality: original.equality,
      flags: flags)
    takeState(of: original)
  }

  /// Returns a list with the same elements, states and declaration that is independent of this one: see
  /// ``Field/copy()``.
  open override func copy() -> ArrayField<Element> { ArrayField(copying: self) }

  /// Returns a copy that follows this list until the copy is set: see ``Field/clone()``.
  open override func clone() -> ArrayField<Element> {
    let clone = copy()
    clone.follow(self)
    return clone
  }

  // MARK: Hooks for subclasses

  /// Called for every element that a set added to the list, if ``Field/reportsSets`` is true. It is called before
  /// ``Field/didSet(from:to:)`` and before the observers are notified. Does nothing unless overridden.
  ///
  /// Additions and removals are found by comparing the lists, so it does not matter how the list was set. An element
  /// that only moved is not reported. If elements can't be compared, all are reported as removed and added.
  open func didAdd(_ element: Element) {}

  /// Called for every element that a set removed from the list, if ``Field/reportsSets`` is true; before
  /// ``didAdd(_:)``. Does nothing unless overridden.
  open func didRemove(_ element: Element) {}

  override func reportSet(from oldValue: [Element]?, to newValue: [Element]?) {
    let comparison = ValueComparison<Element>.known()
    for element in comparison.difference(of: oldValue ?? [], from: newValue ?? []) { didRemove(element) }
    for element in comparison.difference(of: newValue ?? [], from: oldValue ?? []) { didAdd(element) }
    super.reportSet(from: oldValue, to: newValue)
  }

  // MARK: Elements

  /// The number of elements; 0 if the value is nil.
  public final var count: Int { storedElements?.count ?? 0 }

  /// Whether there are no elements, or the value is nil.
  public final var isEmpty: Bool { storedElements?.isEmpty ?? true }

  /// The elements, read without a copy.
  final var storedElements: [Element]? {
    noteRead(of: .value)
    return storage
  }

  /// Adds an element at the end. A nil list becomes a list of one element.
  ///
  /// - Returns: `false` if nothing was added. The elements' domain rejects the element, the list contains it and allows
  ///   no duplicates, or the list's own domain does not contain the longer list.
  /// - Complexity: O(1) on average without observers; O(*n*) if duplicates are searched for or observers receive the
  ///   old list.
  @discardableResult
  public final func append(_ element: Element) -> Bool {
    if isObserved || !flags.isDisjoint(with: [.hooksSet, .original]) {
      return insert(element, at: storage?.count ?? 0)
    }
    // The old list is not needed and the new one is not checked: the storage grows in place.
    noteComingEdit()
    prepareToSet(isChange: true)
    if storage == nil { storage = [] }
    storage?.append(element)
    markSet(isChange: true, stamp: .next())
    return true
  }

  /// Inserts an element before the one at an index. A nil list becomes a list of one element.
  ///
  /// - Precondition: `index` is a valid index of the list, or its count.
  /// - Returns: `false` if nothing was added. The elements' domain rejects the element, the list contains it and allows
  ///   no duplicates, or the list's own domain does not contain the longer list.
  /// - Complexity: O(*n*).
  @discardableResult
  public final func insert(_ element: Element, at index: Int) -> Bool {
    let count = storage?.count ?? 0
    precondition(
      index >= 0 && index <= count, "An element can't be inserted at index \(index): the list has \(count).")
    guard let element = accepted(element) else { return false }
    if canGrowInPlace {
      noteComingEdit()
      prepareToSet(isChange: true)
      if storage == nil { storage = [] }
      storage?.insert(element, at: index)
      markSet(isChange: true, stamp: .next())
      return true
    }
    var elements = storage ?? []
    elements.insert(element, at: index)
    if case .replaced? = metadata?.coerce?(elements) { return false }
    setChecked(elements)
    return true
  }

  /// Removes the element at an index.
  ///
  /// - Precondition: `index` is a valid index of the list.
  /// - Complexity: O(*n*).
  @discardableResult
  public final func remove(at index: Int) -> Element {
    var elements = storage ?? []
    precondition(
      elements.indices.contains(index),
      "There is no element at index \(index) to remove: the list has \(elements.count).")
    let removed = elements.remove(at: index)
    if metadata?.coerce == nil { setChecked(elements) } else { set(elements, stamp: .next()) }
    return removed
  }

  /// Removes all elements. The value is then an empty list, even if it was nil.
  public final func removeAll() { set([], stamp: .next()) }

  /// Sets elements that were all checked before, without checking them again.
  private func setChecked(_ elements: [Element]) {
    detachUnlessFollowing()
    setHooked(elements, stamp: .next())
  }

  /// Returns the element to add, as the domain of the elements changes it; nil if the list rejects it.
  private func accepted(_ element: Element) -> Element? {
    var element = element
    if case .replaced(let replacement)? = elementMetadata?.coerce?(element) {
      guard let replacement else { return nil }
      element = replacement
    }
    if allowsDuplicates { return element }
    guard let storage, let areSame = ValueComparison<Element>.known().areSame else { return element }
    return storage.contains { areSame($0, element) } ? nil : element
  }

  /// Whether neither observers need the old list nor a domain checks the new one.
  private var canGrowInPlace: Bool {
    if isObserved || !flags.isDisjoint(with: [.reportsSets, .original]) { return false }
    return !flags.contains(.hooksSet) || (metadata?.coerce == nil && extras?.link == nil)
  }

  override func coercion(of value: [Element]) -> Coercion<[Element]> {
    var elements = value
    var isCoerced = false
    if let coerce = elementMetadata?.coerce {
      elements = value.compactMap { element in
        guard case .replaced(let replacement) = coerce(element) else { return element }
        isCoerced = true
        return replacement
      }
    }
    if !allowsDuplicates {
      let count = elements.count
      elements = ValueComparison.known().removingDuplicates(elements)
      if elements.count < count { isCoerced = true }
    }
    if case .replaced(let replacement) = super.coercion(of: elements) { return .replaced(by: replacement) }
    return isCoerced ? .replaced(by: elements) : .none
  }

  override func ruleViolations() -> [RuleViolation] {
    metadata == nil && elementMetadata == nil ? [] : violationsOfListAndElements()
  }

  private func violationsOfListAndElements() -> [RuleViolation] {
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

  override var hasAsynchronousRules: Bool {
    super.hasAsynchronousRules || (elementMetadata != nil && hasAsynchronousRulesOfElements)
  }

  private var hasAsynchronousRulesOfElements: Bool {
    elementMetadata?.asynchronousRules.isEmpty == false && storage?.isEmpty == false
  }

  override func asynchronousChecks() -> [AsynchronousCheck] {
    guard let rules = elementMetadata?.asynchronousRules, !rules.isEmpty else { return super.asynchronousChecks() }
    return super.asynchronousChecks()
      + (value ?? []).enumerated().flatMap { index, element in
        rules.map { rule in
          let check = rule.check(of: element)
          return { await check().map { ($0.violation.inElement(index), $0.isConclusive) } }
        }
      }
  }

  override var transformsElements: Bool { elementMetadata?.hasTransformer ?? false }

  override func elementwiseTransformer(
    in context: ValueTransformerContext
  ) -> (any ValueTransforming<[Element]>)? {
    guard let element = elementMetadata?.transformer?.transformer(in: context) else { return nil }
    return FieldTransformer.list(of: element)
  }

  override func importedValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> [Element]? {
    if json.isNull { return nil }
    let elementTransformer = elementMetadata?.transformer?.transformer(in: context)
    if takesWholeList(in: context, elementTransformer) { return try super.importedValue(json, in: context) }
    guard let elementTransformer else { return try context.importList(json, context.importer(of: Element.self)) }
    return try context.importList(json) { $0.isNull ? nil : try elementTransformer.read($0, in: context) }
  }

  override func exportedValue(_ value: [Element], in context: ValueTransformerContext) throws -> JSONValue {
    let elementTransformer = elementMetadata?.transformer?.transformer(in: context)
    if takesWholeList(in: context, elementTransformer) { return try super.exportedValue(value, in: context) }
    guard let elementTransformer else { return try context.exportList(value, context.exporter(of: Element.self)) }
    return try context.exportList(value) { try elementTransformer.write($0, in: context) }
  }

  /// Returns whether a transformer of the whole list takes precedence over the transformer of its elements.
  private func takesWholeList(
    in context: ValueTransformerContext, _ elementTransformer: (any ValueTransforming<Element>)?
  ) -> Bool {
    if metadata?.transformer?.transformer(in: context) != nil { return true }
    return elementTransformer == nil && context.transforms([Element].self)
  }
}
