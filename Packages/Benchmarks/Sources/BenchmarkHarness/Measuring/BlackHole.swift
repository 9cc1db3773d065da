public import CBenchmarkSupport

/// Consumes a value, opaque to the optimiser.
///
/// The value has to be computed, and memory read before has to be read again. A loop that reads the same property
/// repeatedly really reads it.
///
/// - Complexity: one store and one call of an empty C function, about 1 ns.
@inlinable
@inline(__always)
public func blackHole<Value>(_ value: Value) {
  withUnsafePointer(to: value) { benchmark_barrier($0) }
}
