@_spi(ModelKitInternals) import ModelCore
import RESTStore
import StoreProtocol

/// The fields to which a request limits the records of its response. The identifier is always among them.
struct FieldSet: Sendable {
  private let paths: [[String]]

  /// - Parameters:
  ///   - item: the parameter, whose value is a list of names with commas.
  ///   - served: the class of the records.
  ///   - known: the keys of the fields that responses have.
  /// - Throws: ``ServiceProblem`` with the status 400 for a name of no field.
  init(_ item: (name: String, value: String), of served: ServedType, known: [String]) throws {
    let names = item.value.split(separator: ",").map { String($0) }
    if let unknown = names.first(where: { !known.contains($0) }) {
      let list = known.sorted().joined(separator: ", ")
      throw ServiceProblem(
        400,
        """
        The parameter \(item.name.prefix(80)) has "\(unknown.prefix(80))": the fields of \(served.form.collection) are \
        \(list).
        """)
    }
    let wanted = Set(names + (served.form.identifierKey.map { [$0] } ?? []))
    paths = wanted.map { $0.split(separator: ".").map { String($0) } }
  }

  /// Returns a record with these fields only.
  func reduced(_ record: AttributeDictionary) -> AttributeDictionary {
    var reduced: AttributeDictionary = [:]
    for path in paths { Self.copy(path[...], from: record, to: &reduced) }
    return reduced
  }

  private static func copy(
    _ path: ArraySlice<String>, from record: AttributeDictionary, to reduced: inout AttributeDictionary
  ) {
    guard let key = path.first, let value = record[key] else { return }
    guard path.count > 1, case .object(let inner) = value else {
      reduced[key] = value
      return
    }
    var members = reduced[key]?.objectValue ?? [:]
    copy(path.dropFirst(), from: inner, to: &members)
    reduced[key] = .object(members)
  }
}

extension RESTService {
  /// Moves the parameters that limit the fields of a response from the items of a request to its field set.
  ///
  /// - Throws: ``ServiceProblem`` with the status 400 for a name of no field, and for a type that the response lacks.
  func takeFields(of call: inout ServiceCall, _ served: ServedType) throws {
    guard let parameter = dialect.fieldsParameter(of: served.form), ["GET", "HEAD"].contains(call.method) else {
      return
    }
    // `fields[books]` has a name for each type.
    let family = parameter.prefix { $0 != "[" }
    let isFamily = family.count < parameter.count
    for (name, value) in call.items where name == parameter || isFamily && name.hasPrefix(family + "[") {
      guard name == parameter else {
        throw ServiceProblem(
          400, "The parameter \"\(name.prefix(80))\" is not supported: the response has only \(served.form.collection)."
        )
      }
      guard call.fields == nil else { throw ServiceProblem(400, "The parameter \"\(name)\" occurs twice.") }
      call.fields = try FieldSet((name, value), of: served, known: keys(of: served))
      call.fieldItems.append((name, value))
    }
    call.items.removeAll { $0.name == parameter }
  }

  /// Returns the name of the parameter that limits the fields of the records of a class; nil if there is none.
  func fieldsParameter(of type: ModelObject.Type) -> String? {
    served(type).flatMap { dialect.fieldsParameter(of: $0.form) }
  }

  /// Returns the keys of the fields that responses have.
  private func keys(of served: ServedType) -> [String] {
    let model = served.type.init()
    let hidden = unreadable.keys(of: served.type)
    // A field has its key from its model.
    return withExtendedLifetime(model) {
      model.fieldsForDictionaryValue().compactMap(\.key).filter { !hidden.contains($0) }.map { context.key($0) }
    }
  }

  /// Rejects a field set where responses have whole records.
  func refuseFields(_ call: ServiceCall) throws {
    guard let name = call.fieldItems.first?.name else { return }
    throw ServiceProblem(400, "The parameter \"\(name.prefix(80))\" is not supported: the response has whole records.")
  }
}
