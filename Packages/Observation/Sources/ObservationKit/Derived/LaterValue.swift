/// The value of a derived observable before any value passed a filter. It is computed only when it is read: a transform
/// behind a filter need not handle the values that the filter rejects.
@usableFromInline
final class LaterValue<Value> {
  private let make: () -> Value
  private var made: Value?

  @usableFromInline
  init(_ make: @escaping () -> Value) { self.make = make }

  @usableFromInline var value: Value {
    if let made { return made }
    let value = make()
    made = value
    return value
  }
}
