public import StoreProtocol

/// A model whose fields have initial values.
///
/// ```swift
/// let meter = ContractMeter()
/// print(meter.count)   // 0
/// ```
public final class ContractMeter: Model {
  /// The identifier.
  @Field public var id: Int?
  /// Zero at first.
  @Required public var count = 0
  /// `open` at first.
  @Required public var state = "open"
  /// One half at first.
  @Required public var share = 0.5
  /// No at first.
  @Required public var isOn = false
  /// One tag at first.
  @Required public var tags = ["new"]
  /// One number at first.
  @Required public var readings = [1]

  /// The integer.
  public override var identifierField: AnyField? { $id }
}
