@_spi(ModelKitInternals) import ModelCore

/// The fields that the running task writes when it creates a model.
@_spi(ModelKitInternals)
public struct CreationFields: Sendable {
  @TaskLocal private static var current: CreationFields?

  private let model: ObjectIdentifier
  private let fields: Set<ObjectIdentifier>

  /// Runs a creation that writes only some fields.
  static func choosing<Result>(
    _ fields: [AnyField], of model: ModelObject, in isolation: isolated (any Actor)? = #isolation,
    _ create: () async throws -> Result
  ) async rethrows -> Result {
    let chosen = CreationFields(
      model: ObjectIdentifier(model), fields: Set(fields.map { ObjectIdentifier($0) }))
    return try await $current.withValue(chosen, in: isolation, create)
  }

  /// Returns whether the running task creates a model with chosen fields.
  public static func areChosen(for model: ModelObject) -> Bool { current?.model == ObjectIdentifier(model) }

  /// Returns the fields that a creation of a model writes: the chosen ones, the identifier, and those that its hook
  /// set.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - start: the time before the hook ran.
  /// - Returns: nil for all fields.
  /// - Throws: ``ModelStoreError`` with the code `invalid` if the record would lack a required value.
  static func fields(of model: ModelObject, hookedSince start: ChangeStamp) throws -> [AnyField]? {
    guard let current, current.model == ObjectIdentifier(model) else { return nil }
    var known = current.fields
    for field in model.fieldsToSave(since: start) { known.insert(ObjectIdentifier(field)) }
    if let field = model.identifierField { known.insert(ObjectIdentifier(field)) }
    let fields = model.storableFields.filter { known.contains(ObjectIdentifier($0)) }
    if let field = model.requiredField(besides: fields) {
      throw ModelStoreError(
        .invalid,
        """
        This \(model.storedTypeName.nameForMessage) was not written: its record needs a value of \
        \((field.name ?? field.key ?? "").quotedForMessage), which is not among the chosen fields. Add it to them.
        """, identifier: model.storedIdentifier, fields: field.key.map { [$0: ["is not written"]] } ?? [:])
    }
    return fields
  }
}
