@_spi(ModelKitInternals) import FieldKit

extension ModelLayout {
  /// Finds the fields of a class on its first instance.
  ///
  /// The runtime's list of stored properties, which `Mirror` is built on, has names, types, offsets, and whether a
  /// reference is strong. The offsets are proven before they are used: the object at each must be the one that the
  /// runtime returns under the same name. If the proof fails, every instance is mirrored when it is created.
  static func build(from model: ModelObject) -> ModelLayout {
    let modelClass = type(of: model)
    var namesakes: [String: Int] = [:]
    let slots = StoredProperty.list(of: modelClass).compactMap { property -> Slot? in
      let storedName = propertyName(property.name)
      defer { namesakes[storedName, default: 0] += 1 }
      let isOptional = property.type is any OptionalField.Type
      let type: Any.Type = (property.type as? any FieldWrapper.Type)?.fieldClass ?? property.type
      // A weak or unowned reference points to a field that the model does not own.
      guard property.isStrong, isOptional || type is AnyField.Type else { return nil }
      // The compiler stores the wrapper of `@Field var name` in a variable `_name`.
      let isWrapper = property.isVariable && !isOptional && storedName.hasPrefix("_") && storedName.count > 1
      return Slot(
        propertyName: isWrapper ? String(storedName.dropFirst()) : storedName, storedName: storedName,
        offset: property.offset, isOptional: isOptional, namesakes: namesakes[storedName, default: 0],
        isVariable: property.isVariable && !isWrapper, isWrapper: isWrapper,
        kind: type is any RelationField.Type ? .relation : DirectKind(propertyOf: type))
    }
    let isProven = LayoutCache.isOn && proves(slots, on: model)
    // The identifier field is found by comparing objects, so the class may declare it in any way.
    let preliminary = ModelLayout(modelClass: modelClass, slots: slots, isProven: isProven, identifierIndex: nil)
    preliminary.adoptFields(of: model)
    let identifierField = model.identifierField
    var identifierIndex: Int?
    var priorities = [Int?](repeating: nil, count: slots.count)
    preliminary.forEachField(of: model) { field, index in
      if field === identifierField { identifierIndex = index }
      priorities[index] = field.priority
    }
    preliminary.reportDuplicateKeys(of: model)
    let wrongDeclaration = preliminary.modelsAsValues(of: model)
    if let wrongDeclaration { ModelIssue.report(wrongDeclaration) }
    ReferringClasses.add(model, preliminary.fields(of: model))
    let layout = remember(
      ModelLayout(
        modelClass: modelClass, slots: slots, isProven: isProven, identifierIndex: identifierIndex,
        order: FieldOrder(priorities), wrongDeclaration: wrongDeclaration),
      for: modelClass)
    // The related classes may have relations to this one, whose layout is known now.
    layout.reportSharedInverses(of: model)
    return layout
  }

  private static func proves(_ slots: [Slot], on model: ModelObject) -> Bool {
    let mirrored = mirror(model)
    let address = UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
    return slots.allSatisfy { slot in
      let found = mirrored.field(for: slot).map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
      guard found != nil || slot.isOptional else { return false }
      return address.load(fromByteOffset: slot.offset, as: UnsafeRawPointer?.self) == found
    }
  }

  /// Returns the fields of one instance in the order of the slots, read without their offsets.
  func mirroredFields(of model: ModelObject) -> [AnyField?] {
    let mirrored = Self.mirror(model)
    return slots.map { mirrored.field(for: $0) }
  }

  /// The fields that the runtime returns for an instance under each name, superclasses first.
  private struct MirroredFields {
    var byName: [String: [AnyField?]] = [:]

    func field(for slot: Slot) -> AnyField? {
      guard let fields = byName[slot.storedName], slot.namesakes < fields.count else { return nil }
      return fields[slot.namesakes]
    }
  }

  private static func mirror(_ model: ModelObject) -> MirroredFields {
    var fields = MirroredFields()
    var classes: [AnyClass] = [type(of: model)]
    while let last = classes.last, last != ModelObject.self, let parent = _getSuperclass(last) {
      classes.append(parent)
    }
    for modelClass in classes.reversed() {
      // Not by `Mirror`: it would return the children of `customMirror`.
      for property in StoredProperty.values(in: model, declaredBy: modelClass) {
        fields.byName[propertyName(property.name), default: []].append(
          property.value as? AnyField ?? (property.value as? any FieldWrapper)?.wrappedField)
      }
    }
    return fields
  }

  /// Returns a property's name as it is written. Back ticks, between which the compiler makes spaces non-breaking, and
  /// the storage prefix of a lazy property are removed.
  private static func propertyName(_ stored: String) -> String {
    let lazyPrefix = "$__lazy_storage_$_"
    let name = stored.hasPrefix(lazyPrefix) ? String(stored.dropFirst(lazyPrefix.count)) : stored
    guard name.hasPrefix("`") else { return name }
    return String(name.dropFirst().dropLast().map { $0 == "\u{A0}" ? " " : $0 })
  }

  /// Returns the topmost class with the same type name, which represents its hierarchy.
  static func rootClass(of modelClass: ModelObject.Type) -> ModelObject.Type {
    if let known = known(for: modelClass) { return known.rootClass }
    let name = modelClass.typeName
    return ancestor(of: modelClass) { $0.typeName == name }
  }

  /// Returns the topmost superclass below `ModelObject` up to which a condition holds.
  private static func ancestor(
    of modelClass: ModelObject.Type, while condition: (ModelObject.Type) -> Bool
  ) -> ModelObject.Type {
    var found = modelClass
    while let parent = _getSuperclass(found) as? ModelObject.Type, parent != ModelObject.self, condition(parent) {
      found = parent
    }
    return found
  }

  /// Returns the name of the topmost class with its enclosing types. The module and the compiler's additions for
  /// private and local types are left out.
  static func defaultTypeName(of modelClass: ModelObject.Type) -> String {
    nameParts(of: modelClass).dropFirst().joined(separator: ".")
  }

  /// Returns the default name with its module.
  static func qualifiedTypeName(of modelClass: ModelObject.Type) -> String {
    nameParts(of: modelClass).joined(separator: ".")
  }

  private static func nameParts(of modelClass: ModelObject.Type) -> [Substring] {
    String(reflecting: ancestor(of: modelClass) { _ in true })
      .split(separator: ".", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("(unknown context at ") }
  }
}

private protocol OptionalField {}
extension Optional: OptionalField where Wrapped: AnyField {}

private protocol PlainField { var readsPlainValues: Bool { get } }
extension Field: PlainField {
  fileprivate var readsPlainValues: Bool { type(of: self) == Field<Content>.self && !hasTransformers }
}

private protocol ListOfModels {}
extension Array: ListOfModels where Element: ModelObject {}

extension ModelLayout {
  /// Returns an error for the first property that has models as values and is not a relation. They could be written,
  /// and not be read.
  fileprivate func modelsAsValues(of model: ModelObject) -> FieldError? {
    var error: FieldError?
    forEachField(of: model) { field, index in
      guard error == nil, !field.isRelation, (field as? any PlainField)?.readsPlainValues == true else { return }
      let isList = field.valueType is any ListOfModels.Type
      guard isList || field.valueType is ModelObject.Type else { return }
      error = FieldError(modelsIn: slots[index].propertyName, isList: isList, field.valueType, of: type(of: model))
    }
    return error
  }

  /// Reports each inverse that several relations to one class declare, when the first instance is created.
  fileprivate func reportSharedInverses(of model: ModelObject) {
    let relations = fields(of: model).compactMap { $0.isRelation ? $0 as? any Relation : nil }
    let classes = Dictionary(grouping: relations.filter(\.declaresInverse)) { ObjectIdentifier($0.relatedClass) }
    for relations in classes.values where relations.count > 1 {
      let prototype = relations[0].relatedClass.init()
      var known: Set<ObjectIdentifier> = [], reported: Set<ObjectIdentifier> = []
      for relation in relations {
        guard let inverse = relation.declaredInverse(on: prototype), !known.insert(ObjectIdentifier(inverse)).inserted,
          reported.insert(ObjectIdentifier(inverse)).inserted
        else { continue }
        let name = prototype.nameOfProperty(holding: inverse) ?? inverse.key ?? ""
        ModelIssue.report(FieldError(sharedInverse: name, of: relation.relatedClass, in: type(of: model)))
      }
    }
  }

  /// Reports each key that several fields of a class share to ``ModelIssue/handler``, when its first instance is
  /// created.
  ///
  /// The compiler allows private properties of a class and of its superclass to have the same name.
  fileprivate func reportDuplicateKeys(of model: ModelObject) {
    var keys: Set<String> = []
    var reported: Set<String> = []
    forEachField(of: model) { field, index in
      let key = field.declaredKey ?? slots[index].propertyName
      guard !keys.insert(key).inserted, reported.insert(key).inserted else { return }
      ModelIssue.report(FieldError(duplicateKey: key, in: type(of: model)))
    }
  }
}
