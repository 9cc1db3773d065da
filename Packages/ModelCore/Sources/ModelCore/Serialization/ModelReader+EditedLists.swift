@_spi(ModelKitInternals) import FieldKit

// Edits of lists whose members have no identifiers. A document may lack keys, so each object has to find its member.
extension ModelReader {
  /// The values of an object that are not nil, by their keys. Embedded models are not part of them.
  private struct ComparedValues: Hashable {
    let modelClass: ObjectIdentifier
    var values: [String: JSONValue] = [:]
  }

  /// Returns the member that each element of an edited list is read into; nil for a new model.
  ///
  /// An object without identifier edits the member with the same values. In a list of the same length, another object
  /// edits the member at its index, unless that is the one of a third object.
  ///
  /// - Complexity: O(*n*) in the number of members and elements.
  func editedMembers<M: Model>(_ members: [M], by elements: [JSONValue], as type: M.Type) -> [M?] {
    var found: [Int?] = Array(repeating: nil, count: elements.count)
    guard members.contains(where: { $0.modelIdentifier == nil }) else { return found.map { _ in nil } }
    var keys: [ObjectIdentifier: Set<String>] = [:]
    let objects = comparedValues(of: elements, as: type, &keys)
    let candidates = members.map { $0.modelIdentifier == nil ? comparedValues(of: $0, keys) : nil }
    func isSame(_ index: Int, _ other: Int) -> Bool { objects[index] != nil && objects[index] == candidates[other] }
    // The beginning and the end first: of members with the same values, the ones beside a change stay.
    let most = min(members.count, elements.count)
    let start = (0..<most).first { !isSame($0, $0) } ?? most
    let (last, lastMember) = (elements.count - 1, members.count - 1)
    let end = (0..<most - start).first { !isSame(last - $0, lastMember - $0) } ?? most - start
    for index in 0..<start { found[index] = index }
    for index in 0..<end { found[last - index] = lastMember - index }
    var free: [ComparedValues: [Int]] = [:]
    for index in (start..<members.count - end).reversed() {
      if let values = candidates[index] { free[values, default: []].append(index) }
    }
    for index in start..<elements.count - end { found[index] = objects[index].flatMap { free[$0]?.popLast() } }
    if members.count == elements.count {
      let taken = Set(found.compactMap { $0 })
      for index in start..<elements.count - end where found[index] == nil && !taken.contains(index) {
        found[index] = index
      }
    }
    return found.map { $0.map { members[$0] } }
  }

  /// Returns the values of the objects without identifier; nil for other elements.
  ///
  /// - Parameter keys: receives the keys of the objects, by class.
  private func comparedValues<M: Model>(
    of elements: [JSONValue], as type: M.Type, _ keys: inout [ObjectIdentifier: Set<String>]
  ) -> [ComparedValues?] {
    var prototypes: [ObjectIdentifier: ModelObject] = [:]
    return elements.map { element in
      guard case .object(let object) = element else { return nil }
      let chosen = type.instanceClass(for: object) as? M.Type ?? type
      let id = ObjectIdentifier(chosen)
      let prototype = prototypes[id] ?? context.prepared(chosen.init())
      prototypes[id] = prototype
      guard let object = try? decoded(object, for: chosen), !hasIdentifier(prototype, in: object) else { return nil }
      var compared = ComparedValues(modelClass: id)
      prototype.forEachField { field, index in
        guard isCompared(field), let json = value(of: field, index, of: prototype, in: object) else { return }
        let key = key(of: field, index, of: prototype)
        keys[id, default: []].insert(key)
        if !json.isNull { compared.values[key] = canonical(json, of: field) }
      }
      return compared
    }
  }

  /// Returns a value as the field of a prototype writes it.
  private func canonical(_ json: JSONValue, of field: AnyField) -> JSONValue {
    guard !field.isRelation, let apply = try? field.staged(json, by: FieldReader(context: context)) else { return json }
    apply()
    return (try? field.exported(by: ModelWriter(context: context))) ?? json
  }

  /// Returns the values of a member for keys of the objects.
  private func comparedValues(of member: ModelObject, _ keys: [ObjectIdentifier: Set<String>]) -> ComparedValues {
    let id = ObjectIdentifier(type(of: member))
    let writer = ModelWriter(context: context)
    var compared = ComparedValues(modelClass: id)
    member.forEachField { field, index in
      let key = key(of: field, index, of: member)
      guard isCompared(field), keys[id]?.contains(key) == true, let json = try? field.exported(by: writer) else {
        return
      }
      if !json.isNull { compared.values[key] = json }
    }
    return compared
  }

  private func isCompared(_ field: AnyField) -> Bool {
    !field.isRelation || (field as? any RelationField)?.isForeignKey == true
  }
}
