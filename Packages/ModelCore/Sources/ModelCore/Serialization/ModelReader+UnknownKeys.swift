@_spi(ModelKitInternals) import FieldKit

extension ModelReader {
  /// Stages the unknown keys of an object, to be kept by its model.
  ///
  /// - Parameter outerKeys: the keys in this object that belong to fields of the containing model.
  func stageUnknownKeys(of object: AttributeDictionary, of model: ModelObject, _ outerKeys: [String]) {
    var known = KnownKeys()
    var matchCount = 0
    model.forEachField { field, index in
      let key = key(of: field, index, of: model)
      // A key with dots that is in the object verbatim takes precedence.
      if object[key] != nil {
        if known.insert([key]) { matchCount += 1 }
      } else {
        known.insert(key.split(separator: ".").map(String.init))
      }
    }
    for key in outerKeys { known.insert(key.split(separator: ".").map(String.init)) }
    let isAllKnown = matchCount == object.count
    if isAllKnown, model.details?.remainder == nil { return }
    let unknown = isAllKnown ? [:] : known.unknownValues(in: object)
    operations.append(
      .closure { [context, edits, isFromStore] in
        if !unknown.isEmpty {
          edits?.willChangeRemainder(of: model)
          let stamp = isFromStore || !model.isStored ? nil : ChangeStamp.next()
          model.detailsForWriting.remainder = model.details?.remainder ?? Remainder()
          model.details?.remainder?.take(unknown, unsavedSince: stamp)
        }
        model.dropKnownRemainder(spelledIn: context)
      })
  }

  /// Returns the keys of a model's fields inside the object of one of its relations, relative to that object.
  func keysLeadingInto(
    _ relationKey: String, of model: ModelObject, _ object: AttributeDictionary
  ) -> [String] {
    var keys: [String] = []
    model.forEachField { field, index in
      let key = key(of: field, index, of: model)
      if key.utf8.count > relationKey.utf8.count + 1, key.hasPrefix(relationKey + "."),
        object[key] == nil
      {
        keys.append(String(key.dropFirst(relationKey.count + 1)))
      }
    }
    return keys
  }
}

extension FieldEdits {
  /// Records the values of a model that belong to no field before they are changed.
  func willChangeRemainder(of model: ModelObject) {
    let former = model.details?.remainder
    restorations.append { model.details?.remainder = former }
  }
}

/// The keys of fields as a tree: those with dots are nested.
private struct KnownKeys {
  private var members: [String: KnownKeys] = [:]
  private var isField = false

  /// - Returns: whether the key is new.
  @discardableResult
  mutating func insert(_ path: [String]) -> Bool { insert(path[...]) }

  private mutating func insert(_ path: ArraySlice<String>) -> Bool {
    guard let key = path.first else {
      defer { isField = true }
      return !isField
    }
    return members[key, default: KnownKeys()].insert(path.dropFirst())
  }

  /// Returns the values of an object that belong to no field. Objects on the path of a field are searched, unless they
  /// are empty.
  func unknownValues(in object: AttributeDictionary) -> [[String]: JSONValue] {
    var found: [[String]: JSONValue] = [:]
    collect(object, [], &found)
    return found
  }

  private func collect(_ object: AttributeDictionary, _ path: [String], _ found: inout [[String]: JSONValue]) {
    for (key, value) in object {
      let known = members[key]
      if known?.isField == true { continue }
      if let known, case .object(let inner) = value, !inner.isEmpty {
        known.collect(inner, path + [key], &found)
      } else {
        found[path + [key]] = value
      }
    }
  }
}
