@_spi(ModelKitInternals) import FieldKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A writer that converts models of one class directly to bytes, in one context.
final class DirectClassWriter {
  let modelClass: ModelObject.Type
  /// Nil if models of this class need the tree path.
  let plan: DirectPlan?
  let kinds: [DirectKind]
  /// Whether the class overrides `fieldsForDictionaryValue()`.
  let choosesFields: Bool
  /// The steps, one per field of a record, in the order of their keys.
  let steps: ContiguousArray<Step>

  /// The data for writing one field, from its plan and its layout.
  struct Step {
    let offset: Int
    let kind: DirectKind
    let quotedKey: UnsafeBufferPointer<UInt8>
    let declaredKey: String?
  }

  init(_ model: ModelObject, _ context: ValueTransformerContext) {
    modelClass = type(of: model)
    choosesFields = OverrideProbe.choosesFields(modelClass)
    let plan = DirectPlan.plan(for: model, keyCase: context.keyCase, context: context)
    let kinds = plan?.members.map { $0.kind.kind(in: context, isReading: false) } ?? []
    let slots = model.layout.slots
    steps = ContiguousArray(
      (plan?.sorted ?? []).compactMap { index in
        guard let plan, plan.relationsStoredByInverse & 1 &<< UInt64(index) == 0 else { return nil }
        return Step(
          offset: slots[index].offset, kind: kinds[index], quotedKey: plan.members[index].quotedKey.buffer,
          declaredKey: plan.members[index].declaredKey)
      })
    self.plan = plan
    self.kinds = kinds
  }
}

/// An error for a document that needs the tree path: because of an error, which the tree path then reports, or of
/// something unusual.
struct NeedsTree: Error {}

// Writing directly to bytes. The bytes equal those of a tree with sorted keys. The tree path is used where this is not
// possible, for one object or for all. Examples are a key with dots and a value that can't be written.
extension ModelWriter {
  /// Returns the document of models, or nil if it needs the tree path.
  static func directData<M: Model>(
    of models: [M], isList: Bool, pretty: Bool, escapesSlashes: Bool = false
  ) -> Data? {
    let options = JSONWritingOptions(pretty: pretty, sortedKeys: true, escapesSlashes: escapesSlashes)
    var json = JSONWriter(options, capacity: 256 * models.count + 256)
    do {
      if isList { try json.beginArray() }
      var writers = ListWriters(models)
      for model in models { try writers.writer(for: model).write(model, isNested: false, to: &json) }
      if isList { json.endArray() }
      return json.takeData()
    } catch {
      return nil
    }
  }

  /// Returns whether models of this class may reference others, at a low cost for many models.
  func mayMeetOthers(_ model: ModelObject) -> Bool {
    direct(for: model).plan?.relationCount != 0 || model.hasDynamicFields
  }

  func direct(for model: ModelObject) -> DirectClassWriter {
    let modelClass = type(of: model)
    if let lastDirect, lastDirect.modelClass == modelClass { return lastDirect }
    // Often there are two classes, one nested in the other.
    swap(&lastDirect, &otherDirect)
    if let lastDirect, lastDirect.modelClass == modelClass { return lastDirect }
    let key = ObjectIdentifier(modelClass)
    let found = direct[key] ?? DirectClassWriter(model, context)
    direct[key] = found
    lastDirect = found
    return found
  }

  /// Writes a model in full.
  func write(_ model: ModelObject, isNested: Bool, to json: inout JSONWriter) throws {
    let direct = direct(for: model)
    let inclusion: DirectInclusion =
      if isNested {
        context.explicitNull && !isForStore && model.origin == .new ? .all : .known
      } else {
        model.origin == .new ? .loadedOrIncomplete : .loaded
      }
    if !isNested, direct.plan?.relationCount != 0 { seen.insert(ObjectIdentifier(model)) }
    let hasRemainder = model.details?.remainder != nil
    // Priorities change the order of fields, which matters only for models with several relations.
    if let plan = direct.plan, !direct.choosesFields, plan.relationCount < 2, !model.hasDynamicFields, !hasRemainder {
      try json.beginObject()
      try write(direct.steps, of: model, inclusion, to: &json)
      return json.endObject()
    }
    let fields = model.fieldsForDictionaryValue()
    guard let plan = direct.plan, !hasRemainder, let order = chosen(fields, of: model) else {
      let object = try object(of: model, fields) { field in field.isIncluded(in: inclusion) }
      return try json.value(.object(object), sortedKeys: true)
    }
    try write(order, of: model, direct, plan, inclusion, to: &json)
  }

  /// Writes the given fields of a model as an object of their own.
  func write(_ fields: [AnyField], of model: ModelObject, to json: inout JSONWriter) throws {
    let direct = direct(for: model)
    guard let plan = direct.plan, let order = chosen(fields, of: model) else { throw NeedsTree() }
    if plan.relationCount != 0 { seen.insert(ObjectIdentifier(model)) }
    try write(order, of: model, direct, plan, .all, to: &json)
  }

  private func write(
    _ order: Choice, of model: ModelObject, _ direct: DirectClassWriter, _ plan: DirectPlan,
    _ inclusion: DirectInclusion, to json: inout JSONWriter
  ) throws {
    try json.beginObject()
    if order.isInOrder && plan.hasRelationsInOrder || plan.relationCount < 2 {
      for index in plan.sorted where order.mask & 1 &<< UInt64(index) != 0 {
        try write(index, of: model, direct, plan, inclusion, to: &json)
      }
    } else {
      // The first occurrence of a model is written in full, so relations are written in the order of the fields.
      var ranges = [Range<Int>](repeating: 0..<0, count: plan.members.count)
      for index in order.indices {
        let start = json.beginLooseMember()
        try write(index, of: model, direct, plan, inclusion, to: &json)
        ranges[index] = start..<json.count
      }
      json.arrange(plan.sorted.map { ranges[$0] })
    }
    json.endObject()
  }

  private func write(
    _ steps: ContiguousArray<DirectClassWriter.Step>, of model: ModelObject, _ inclusion: DirectInclusion,
    to json: inout JSONWriter
  ) throws {
    // See `ModelLayout.reference(at:of:)`. Retaining each field and its key would cost as much as writing it.
    let start = UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
    try steps.withUnsafeBufferPointer { steps in
      for index in steps.indices {
        let field = start.load(fromByteOffset: steps[index].offset, as: Unmanaged<AnyField>?.self)
        let isWritten = try field?
          ._withUnsafeGuaranteedRef {
            try $0.writeDirectly(
              as: steps[index].kind, steps[index].quotedKey, declaredKey: steps[index].declaredKey, inclusion,
              to: &json, by: self)
          }
        if isWritten != true { throw NeedsTree() }
      }
    }
  }

  @inline(__always)
  private func write(
    _ index: Int, of model: ModelObject, _ direct: DirectClassWriter, _ plan: DirectPlan, _ inclusion: DirectInclusion,
    to json: inout JSONWriter
  ) throws {
    guard let field = model.layout.reference(at: index, of: model)?.takeUnretainedValue(),
      try field.writeDirectly(
        as: direct.kinds[index], plan.members[index].quotedKey.buffer, declaredKey: plan.members[index].declaredKey,
        inclusion, to: &json, by: self)
    else { throw NeedsTree() }
  }

  /// Fields by their indices in the layout.
  private struct Choice {
    var mask: UInt64 = 0
    /// Whether the fields are in the order of the layout, which is that of the mask.
    var isInOrder = true
    var places: [Int] = []

    var indices: [Int] { isInOrder ? (0..<64).filter { mask & 1 &<< UInt64($0) != 0 } : places }
  }

  /// Returns the indices of fields of a model; nil if a field belongs to another object, or is repeated.
  private func chosen(_ fields: [AnyField], of model: ModelObject) -> Choice? {
    let layout = model.layout
    var choice = Choice()
    if fields.count == layout.slots.count {
      var isAll = true
      for index in fields.indices where isAll {
        isAll = layout.reference(at: index, of: model)?._withUnsafeGuaranteedRef { $0 === fields[index] } ?? false
      }
      if isAll {
        choice.mask = fields.count == 64 ? .max : 1 &<< UInt64(fields.count) &- 1
        return choice
      }
    }
    var last = -1
    for field in fields {
      let index = Int(field.layoutIndex)
      guard layout.field(at: index, of: model) === field, choice.mask & 1 &<< UInt64(index) == 0 else { return nil }
      choice.mask |= 1 &<< UInt64(index)
      choice.places.append(index)
      if index < last { choice.isInOrder = false }
      last = index
    }
    return choice
  }

  // MARK: Relations

  /// Writes the related model of a field as a member of an object.
  func write(
    _ related: ModelObject?, _ key: UnsafeBufferPointer<UInt8>, isForeignKey: Bool, to json: inout JSONWriter
  ) throws {
    guard let related else {
      if context.explicitNull {
        json.key(quoted: key)
        json.null()
      }
      return
    }
    if !isForeignKey, seen.insert(ObjectIdentifier(related)).inserted {
      json.key(quoted: key)
      return try write(related, isNested: true, to: &json)
    }
    if !isForeignKey, let reference = directReference(to: related) {
      json.key(quoted: key)
      return try write(reference, to: &json)
    }
    // A model that can't be referenced is omitted, with its key.
    if let value = isForeignKey ? try self.json(of: related, isForeignKey: true) : try reference(to: related) {
      json.key(quoted: key)
      try json.value(value, sortedKeys: true)
    }
  }

  /// Writes the related models of a field as a member of an object.
  func write(
    _ related: [ModelObject]?, _ key: UnsafeBufferPointer<UInt8>, isForeignKey: Bool, to json: inout JSONWriter
  ) throws {
    guard let related else { return try write(nil as ModelObject?, key, isForeignKey: isForeignKey, to: &json) }
    try related.withReferences { try write($0, key, isForeignKey: isForeignKey, to: &json) }
  }

  /// Writes the related models of a field as a member of an object.
  func write(
    _ related: UnsafeBufferPointer<Unmanaged<AnyObject>>, _ key: UnsafeBufferPointer<UInt8>, isForeignKey: Bool,
    to json: inout JSONWriter
  ) throws {
    // A list that seems empty would cut the links when it is read, so it is omitted, as one model would be.
    guard try related.isEmpty || related.contains(where: { try canWrite($0, isForeignKey: isForeignKey) }) else {
      return
    }
    json.key(quoted: key)
    try json.beginArray()
    for reference in related {
      try reference._withUnsafeGuaranteedRef { object in
        let model = unsafeDowncast(object, to: ModelObject.self)
        if !isForeignKey, seen.insert(ObjectIdentifier(model)).inserted {
          return try write(model, isNested: true, to: &json)
        }
        if let value = isForeignKey ? try self.json(of: model, isForeignKey: true) : try self.reference(to: model) {
          try json.value(value, sortedKeys: true)
        }
      }
    }
    json.endArray()
  }

  /// Returns whether a model can be written as a member of a list.
  private func canWrite(_ reference: Unmanaged<AnyObject>, isForeignKey: Bool) throws -> Bool {
    try reference._withUnsafeGuaranteedRef { object in
      let model = unsafeDowncast(object, to: ModelObject.self)
      if isForeignKey { return try json(of: model, isForeignKey: true) != nil }
      return try !seen.contains(ObjectIdentifier(model)) || directReference(to: model) != nil
        || identifier(of: model) != nil
    }
  }

  // MARK: References

  /// A model that was written before, if its identifier can be written directly to bytes.
  private struct Reference {
    let field: AnyField
    let kind: DirectKind
    let key: UnsafeBufferPointer<UInt8>
    let declaredKey: String?
  }

  private func directReference(to model: ModelObject) -> Reference? {
    let direct = direct(for: model)
    guard let plan = direct.plan, let index = model.layout.identifierIndex,
      let field = model.layout.reference(at: index, of: model)?.takeUnretainedValue(),
      field.hasIdentifyingValue(as: direct.kinds[index])
    else { return nil }
    let member = plan.members[index]
    return Reference(
      field: field, kind: direct.kinds[index], key: member.quotedKey.buffer, declaredKey: member.declaredKey)
  }

  private func write(_ reference: Reference, to json: inout JSONWriter) throws {
    try json.beginObject()
    guard
      try reference.field.writeDirectly(
        as: reference.kind, reference.key, declaredKey: reference.declaredKey, .all, to: &json, by: self)
    else { throw NeedsTree() }
    json.endObject()
  }
}
