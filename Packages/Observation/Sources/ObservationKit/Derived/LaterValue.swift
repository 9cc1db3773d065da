/// What a derived observable shows that has nothing to tell yet, because no value passed a filter before it. Made only if
/// somebody asks: a transform behind a filter need not be able to cope with what the filter keeps away.
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
