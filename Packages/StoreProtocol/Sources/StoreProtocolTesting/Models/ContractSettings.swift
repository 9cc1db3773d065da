import StoreProtocol

/// A model that declares no field: it overrides the field that identifies it.
///
/// ```swift
/// let settings = try await store.create(ContractSettings())
/// print(settings.identifier ?? "")   // main
/// ```
final class ContractSettings: Model {
  private let constants = [Field<String>("main", key: "id")]
  /// The text `main`.
  override var identifierField: AnyField? { constants[0] }
}
