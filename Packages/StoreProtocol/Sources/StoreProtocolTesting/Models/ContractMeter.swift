import StoreProtocol

/// A model whose fields have initial values.
///
/// ```swift
/// let meter = ContractMeter()
/// print(meter.count)   // 0
/// ```
final class ContractMeter: Model {
  /// The identifier.
  @Field var id: Int?
  /// Zero at first.
  @Required var count = 0
  /// `open` at first.
  @Required var state = "open"
  /// One half at first.
  @Required var share = 0.5
  /// No at first.
  @Required var isOn = false
  /// One tag at first.
  @Required var tags = ["new"]
  /// One number at first.
  @Required var readings = [1]

  /// The integer.
  override var identifierField: AnyField? { $id }
}
