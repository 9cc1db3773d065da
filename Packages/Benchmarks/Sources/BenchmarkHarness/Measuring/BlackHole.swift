public import CBenchmarkSupport

/// Uses a value in a way that the optimiser can't see through.
///
/// The value has to be computed, and nothing that was read from memory before is taken for granted afterwards: a loop
/// that reads the same property again and again really reads it.
///
/// - Complexity: one store and one call of an empty C function, about 1 ns.
@inlinable
@inline(__always)
public func blackHole<Value>(_ value: Value) {
  withUnsafePointer(to: value) { benchmark_barrier($0) }
}
